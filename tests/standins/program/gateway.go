package main

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// gateway answers requests on the listeners.
type gateway struct {
	current atomic.Pointer[generation]
	ready   atomic.Bool
	counts  counters
}

// Connections to backends. A model with a single DNS endpoint is dialled by IPv4 only, as in the real router.
var (
	anyFamily = transport("tcp")
	ipv4Only  = transport("tcp4")
)

func transport(network string) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	return &http.Transport{
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, address)
		},
		MaxIdleConnsPerHost: 256, IdleConnTimeout: time.Minute, DisableCompression: true,
	}
}

// handler serves one listener.
func (g *gateway) handler(listener string) http.Handler {
	mux := http.NewServeMux()
	g.probes(mux)
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, r *http.Request) {
		if now := g.current.Load(); now.authorized(listener, r) {
			writeJSON(w, http.StatusOK, now.modelList())
		} else {
			writeError(w, http.StatusUnauthorized, "invalid_api_key", "missing or invalid API key")
		}
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) { g.chat(w, r, listener) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, http.StatusNotFound, "not_found", "the stand-in doesn't serve "+r.URL.Path)
	})
	return mux
}

func (g *gateway) probes(mux *http.ServeMux) {
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, _ *http.Request) {
		if !g.ready.Load() {
			writeJSON(w, http.StatusServiceUnavailable, map[string]string{"status": "not_ready"})
			return
		}
		writeJSON(w, http.StatusOK, map[string]string{"status": "ready"})
	})
}

func (g *generation) modelList() any {
	type item struct {
		ID     string `json:"id"`
		Object string `json:"object"`
		Owner  string `json:"owned_by"`
	}
	names := g.autoNames()
	if g.Global.Router.ListModels {
		for _, model := range g.Providers.Models {
			names = append(names, model.Name)
		}
	}
	list := []item{}
	for _, name := range names {
		list = append(list, item{name, "model", "vllm-semantic-router"})
	}
	return map[string]any{"object": "list", "data": list}
}

func (g *generation) listener(name string) Listener {
	i := slices.IndexFunc(g.Listeners, func(l Listener) bool { return l.Name == name })
	return g.Listeners[max(i, 0)]
}

// authorized checks the listener's own keys, which never reach a backend.
func (g *generation) authorized(listener string, r *http.Request) bool {
	keys := g.listener(listener).APIKeys
	if len(keys) == 0 {
		return true
	}
	if !hasKey(r, keys, "Api-Key") {
		return false
	}
	r.Header.Del("Authorization")
	r.Header.Del("Api-Key")
	return true
}

// hasKey says whether a request carries one of the keys as a bearer token or in one of the headers.
func hasKey(r *http.Request, keys []string, headers ...string) bool {
	sent := []string{strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")}
	for _, header := range headers {
		sent = append(sent, r.Header.Get(header))
	}
	found := 0
	for _, key := range keys {
		for _, value := range sent {
			found |= subtle.ConstantTimeCompare([]byte(key), []byte(value))
		}
	}
	return found == 1
}

func (g *gateway) chat(w http.ResponseWriter, r *http.Request, listener string) {
	now := g.current.Load()
	if !now.authorized(listener, r) {
		writeError(w, http.StatusUnauthorized, "invalid_api_key", "missing or invalid API key")
		return
	}
	var body map[string]json.RawMessage
	var name string
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		writeError(w, http.StatusBadRequest, "invalid_request", "the body is no JSON object")
		return
	}
	if err := json.Unmarshal(body["model"], &name); err != nil || strings.TrimSpace(name) == "" {
		writeError(w, http.StatusBadRequest, "model_required", "the request names no model")
		return
	}
	if allowed := now.listener(listener).Models; len(allowed) > 0 && !slices.Contains(allowed, name) {
		writeError(w, http.StatusForbidden, "model_not_allowed", fmt.Sprintf("model %q is not served here", name))
		return
	}
	chosen, ok := now.choose(name, lastPrompt(body))
	if !ok || len(chosen.cluster.endpoints) == 0 {
		writeError(w, http.StatusBadRequest, "model_not_available", fmt.Sprintf("model %q is not available", name))
		return
	}
	body["model"], _ = json.Marshal(chosen.upstream)
	payload, _ := json.Marshal(body)
	timeout, _ := time.ParseDuration(now.listener(listener).Timeout)
	ctx, cancel := r.Context(), context.CancelFunc(func() {})
	if timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, timeout)
	}
	defer cancel()
	w.Header().Set("x-standin-config", now.Digest)
	w.Header().Set("x-standin-model", chosen.cluster.name)
	w.Header().Set("x-vsr-selected-model", chosen.cluster.name)
	if chosen.decision != "" {
		w.Header().Set("x-vsr-selected-decision", chosen.decision)
	}
	g.forward(ctx, w, r, chosen.cluster, payload)
}

// forward sends the request to a backend and again to another one where the model's retry policy says so.
func (g *gateway) forward(ctx context.Context, w http.ResponseWriter, r *http.Request, c *cluster, payload []byte) {
	var tried []*endpoint
	for {
		e := c.pick(tried)
		tried = append(tried, e)
		e.active.Add(1)
		response, err := c.send(ctx, r, e, payload)
		last := len(tried) > c.retries || ctx.Err() != nil
		if !last && c.retriable(response, err) {
			if response != nil {
				response.Body.Close()
			}
			e.active.Add(-1)
			time.Sleep(rand.N(25 * time.Millisecond << min(len(tried), 3)))
			continue
		}
		defer e.active.Add(-1)
		w.Header().Set("x-standin-backend", e.name)
		w.Header().Set("x-standin-attempts", fmt.Sprint(len(tried)))
		if err != nil {
			status, reply := localReply(err)
			g.counts.request(c.name, e.name, status)
			http.Error(w, reply, status)
			return
		}
		g.counts.request(c.name, e.name, response.StatusCode)
		relay(w, response)
		return
	}
}

// ofOneConnection are headers that aren't passed on; a length is right for an answer only.
var ofOneConnection = []string{"Content-Length", "Connection", "Keep-Alive", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade", "Expect", "Accept-Encoding"}

// send makes one attempt. Without a configured key the client's own Authorization goes through.
func (c *cluster) send(ctx context.Context, r *http.Request, e *endpoint, payload []byte) (*http.Response, error) {
	path := r.URL.RequestURI()
	if c.chatPath != "" {
		path = c.chatPath
	}
	out, err := http.NewRequestWithContext(ctx, r.Method, e.scheme+"://"+e.address()+path, bytes.NewReader(payload))
	if err != nil {
		return nil, err
	}
	out.Header = r.Header.Clone()
	for _, name := range ofOneConnection {
		out.Header.Del(name)
	}
	if c.credential != "" {
		out.Header.Del("Authorization")
		out.Header.Set(c.header, c.credential)
	}
	for name, value := range c.headers {
		out.Header.Set(name, value)
	}
	out.Header.Set("x-selected-model", c.name)
	way := anyFamily
	if len(c.endpoints) == 1 && !e.isIP() {
		way = ipv4Only
	}
	return way.RoundTrip(out)
}

// retriable applies retry_on, whose words mean what they mean in Envoy.
func (c *cluster) retriable(response *http.Response, err error) bool {
	if err != nil {
		return c.retriesOn("5xx", "gateway-error", "reset") || isConnect(err) && c.retriesOn("connect-failure", "reset-before-request")
	}
	code := response.StatusCode
	return code >= 500 && c.retriesOn("5xx") || code >= 502 && code <= 504 && c.retriesOn("gateway-error") || code == 409 && c.retriesOn("retriable-4xx")
}

func isConnect(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// localReply is the router's own answer where no backend gave one, as Envoy words it.
func localReply(err error) (int, string) {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout, "upstream request timeout"
	case errors.As(err, new(*net.DNSError)):
		return http.StatusServiceUnavailable, "no healthy upstream"
	case isConnect(err):
		return http.StatusServiceUnavailable, "upstream connect error or disconnect/reset before headers. reset reason: remote connection failure"
	}
	return http.StatusServiceUnavailable, "upstream connect error or disconnect/reset before headers. reset reason: connection termination"
}

// relay passes the answer on, each piece at once; an answer that breaks off breaks off here too.
func relay(w http.ResponseWriter, response *http.Response) {
	defer response.Body.Close()
	for _, name := range ofOneConnection[1:] {
		response.Header.Del(name)
	}
	maps.Copy(w.Header(), response.Header)
	w.WriteHeader(response.StatusCode)
	flusher := http.NewResponseController(w)
	buffer := make([]byte, 16<<10)
	for {
		n, err := response.Body.Read(buffer)
		if n > 0 {
			if _, failed := w.Write(buffer[:n]); failed != nil {
				return
			}
			_ = flusher.Flush()
		}
		if err == io.EOF {
			return
		} else if err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

func writeError(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, map[string]any{"error": map[string]string{"code": code, "message": message}})
}
