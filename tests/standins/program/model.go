package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
)

// server is a model server that says who it is. Flags win over the environment.
type server struct {
	name, key string
	models    []string
	latency   time.Duration
	chunks    int
	pause     time.Duration
}

func modelMain(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("model", flag.ContinueOnError)
	name := flags.String("name", env("NAME", hostname()), "who answers (NAME; the host's name)")
	port := flags.String("port", env("PORT", "8000"), "port (PORT)")
	address := flags.String("address", "", "address to listen on; all by default")
	models := flags.String("models", env("MODELS", ""), "names that are served, by comma; any if empty (MODELS)")
	latency := flags.String("latency", env("LATENCY", "0s"), "before each answer, such as 200ms (LATENCY)")
	chunks := flags.Int("chunks", 5, "pieces of a streamed answer")
	pause := flags.Duration("pause", 0, "between the pieces")
	if err := parse(flags, args); err != nil {
		return err
	}
	wait, err := time.ParseDuration(*latency)
	if err != nil || *chunks < 1 {
		return usageError{errors.New("-latency must be a duration, -chunks at least 1")}
	}
	s := &server{name: *name, key: os.Getenv("API_KEY"), latency: wait, chunks: *chunks, pause: *pause}
	if *models != "" {
		s.models = strings.Split(*models, ",")
	}
	httpServer := &http.Server{Addr: *address + ":" + *port, Handler: s.handler(), ReadHeaderTimeout: time.Minute}
	slog.Info("model_started", "name", s.name, "address", httpServer.Addr, "needs_key", s.key != "")
	return serve(ctx, []*http.Server{httpServer}, (*http.Server).ListenAndServe, func() {})
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, r *http.Request) {
		if !s.authorized(w, r) {
			return
		}
		list := []any{}
		for _, name := range s.models {
			list = append(list, map[string]string{"id": name, "object": "model", "owned_by": s.name})
		}
		writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": list})
	})
	mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		if s.authorized(w, r) {
			s.complete(w, r)
		}
	})
	return mux
}

// authorized asks for the key, wherever a provider expects it.
func (s *server) authorized(w http.ResponseWriter, r *http.Request) bool {
	if s.key == "" || hasKey(r, []string{s.key}, "x-api-key", "api-key") {
		return true
	}
	writeError(w, http.StatusUnauthorized, "invalid_api_key", s.name+" needs its key")
	return false
}

// complete answers any path, so that paths of every provider can be seen in the answer.
func (s *server) complete(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Model  string
		Stream bool
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		writeError(w, http.StatusBadRequest, "invalid_request", "the body is no JSON object")
		return
	}
	if len(s.models) > 0 && !slices.Contains(s.models, request.Model) {
		writeError(w, http.StatusNotFound, "model_not_found", fmt.Sprintf("%s doesn't serve %q", s.name, request.Model))
		return
	}
	wait := s.latency
	if asked, err := time.ParseDuration(r.Header.Get("x-standin-latency")); err == nil {
		wait = asked
	}
	if !sleep(r.Context(), wait) {
		return
	}
	if request.Stream {
		s.stream(w, r, request.Model)
		return
	}
	answer := s.answer("chat.completion", request.Model, r)
	answer["choices"] = []any{map[string]any{"index": 0, "finish_reason": "stop",
		"message": map[string]string{"role": "assistant", "content": "I am " + s.name}}}
	answer["usage"] = map[string]int{"prompt_tokens": 1, "completion_tokens": 3, "total_tokens": 4}
	writeJSON(w, http.StatusOK, answer)
}

// answer tells who answers, and what arrived: the path and the headers' names, never their values,
// but for those that begin with x-test-.
func (s *server) answer(object, model string, r *http.Request) map[string]any {
	seen := map[string]string{}
	for name, values := range r.Header {
		seen[strings.ToLower(name)] = ""
		if strings.HasPrefix(name, "X-Test-") {
			seen[strings.ToLower(name)] = values[0]
		}
	}
	return map[string]any{"id": "standin", "object": object, "created": time.Now().Unix(), "model": model,
		"standin": map[string]any{"name": s.name, "path": r.URL.RequestURI(), "headers": seen}}
}

func (s *server) stream(w http.ResponseWriter, r *http.Request, model string) {
	w.Header().Set("Content-Type", "text/event-stream")
	flusher := http.NewResponseController(w)
	for i := range s.chunks {
		piece := s.answer("chat.completion.chunk", model, r)
		piece["choices"] = []any{map[string]any{"index": 0, "delta": map[string]string{"content": fmt.Sprintf("%s:%d ", s.name, i)}}}
		data, _ := json.Marshal(piece)
		fmt.Fprintf(w, "data: %s\n\n", data)
		if flusher.Flush() != nil || !sleep(r.Context(), s.pause) {
			return
		}
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// sleep waits, unless the client goes away.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

func env(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}

func hostname() string {
	name, _ := os.Hostname()
	return name
}
