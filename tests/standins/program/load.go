package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Bounds of the load client: it can't be told to become a nuisance, and ends by itself.
const (
	mostPerSecond = 200
	mostAtOnce    = 100
	longest       = 30 * time.Minute
)

// client sends completions at an even rate and counts what comes back.
type client struct {
	url     string
	models  []string
	timeout time.Duration
	http    *http.Client
	lock    sync.Mutex
	current *second
	under   map[int]time.Time // the requests under way, since when
}

// second is what a second was like; a request belongs to that in which it ended.
type second struct {
	At        time.Time        `json:"at"`
	Second    int              `json:"second"`
	OK        int              `json:"ok"`
	Failed    int              `json:"failed"`
	Skipped   int              `json:"skipped"` // not sent: too many were under way
	SlowestMS int64            `json:"slowest_ms"`
	OldestMS  int64            `json:"oldest_ms"` // of those under way in the end
	Attempts  int              `json:"attempts"`  // of the router, for those that went well
	Models    map[string]int   `json:"models"`    // who answered
	Errors    map[string]int   `json:"errors"`
	Configs   map[string]*seen `json:"configs"` // document that the router had
}

// seen is when answers with a document were got.
type seen struct {
	Count int       `json:"count"`
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
}

func newSecond(number int) *second {
	return &second{Second: number, Models: map[string]int{}, Errors: map[string]int{}, Configs: map[string]*seen{}}
}

func loadMain(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	url := flags.String("url", "", "where completions are sent")
	models := flags.String("models", "auto", "names to ask for, by comma, in turn")
	rate := flags.Int("rate", 10, "requests a second")
	length := flags.Duration("for", longest, "how long")
	timeout := flags.Duration("timeout", 10*time.Second, "for one request")
	keep := flags.Bool("keep-alive", false, "use connections again; else each request has its own")
	if err := parse(flags, args); err != nil {
		return err
	}
	if *url == "" || *rate < 1 || *rate > mostPerSecond || *length <= 0 || *length > longest || *timeout <= 0 {
		return usageError{fmt.Errorf("-url is needed, -rate is 1 to %d, -for up to %s", mostPerSecond, longest)}
	}
	ctx, stop := context.WithTimeout(ctx, *length)
	defer stop()
	transport := &http.Transport{DisableKeepAlives: !*keep, MaxIdleConnsPerHost: mostAtOnce}
	c := &client{url: *url, models: strings.Split(*models, ","), timeout: *timeout,
		http: &http.Client{Transport: transport}, current: newSecond(0), under: map[int]time.Time{}}
	c.run(ctx, time.Second/time.Duration(*rate))
	return nil
}

// run sends until ctx ends, then waits for what is under way. Each second is a line of JSON.
func (c *client) run(ctx context.Context, pause time.Duration) {
	lines := json.NewEncoder(os.Stdout)
	next, turn := time.NewTicker(pause), time.NewTicker(time.Second)
	defer next.Stop()
	defer turn.Stop()
	slots := make(chan struct{}, mostAtOnce)
	var under sync.WaitGroup
	for sent := 0; ; {
		select {
		case <-ctx.Done():
			under.Wait()
			_ = lines.Encode(c.turn())
			return
		case <-turn.C:
			_ = lines.Encode(c.turn())
		case <-next.C:
			select {
			case slots <- struct{}{}:
				number, model := sent, c.models[sent%len(c.models)]
				sent++
				c.begin(number)
				under.Go(func() {
					c.ask(number, model)
					<-slots
				})
			default:
				c.note(func(s *second) { s.Skipped++ })
			}
		}
	}
}

func (c *client) note(change func(*second)) {
	c.lock.Lock()
	defer c.lock.Unlock()
	change(c.current)
}

func (c *client) turn() *second {
	c.lock.Lock()
	defer c.lock.Unlock()
	over := c.current
	over.At = time.Now()
	for _, began := range c.under {
		over.OldestMS = max(over.OldestMS, over.At.Sub(began).Milliseconds())
	}
	c.current = newSecond(over.Second + 1)
	return over
}

func (c *client) begin(number int) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.under[number] = time.Now()
}

// ask sends one request; whatever is no whole answer with status 200 has failed.
func (c *client) ask(number int, model string) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), c.timeout)
	defer cancel()
	name, header, err := c.complete(ctx, model)
	now := time.Now()
	c.note(func(s *second) {
		delete(c.under, number)
		s.SlowestMS = max(s.SlowestMS, now.Sub(began).Milliseconds())
		if err != nil {
			s.Failed++
			s.Errors[err.Error()]++
			return
		}
		s.OK++
		s.Models[name]++
		var attempts int
		_, _ = fmt.Sscan(header.Get("x-standin-attempts"), &attempts)
		s.Attempts += attempts
		config := header.Get("x-standin-config")
		if s.Configs[config] == nil {
			s.Configs[config] = &seen{First: now}
		}
		s.Configs[config].Count++
		s.Configs[config].Last = now
	})
}

// phases tells how far a request has come: where the time has gone of one that had no answer.
func phases(phase *atomic.Value) *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		DNSStart:     func(httptrace.DNSStartInfo) { phase.Store("looking the name up") },
		ConnectStart: func(_, address string) { phase.Store("connecting to " + address) },
		GotConn:      func(httptrace.GotConnInfo) { phase.Store("connected") },
		WroteRequest: func(httptrace.WroteRequestInfo) { phase.Store("sent") },
	}
}

func (c *client) complete(ctx context.Context, model string) (string, http.Header, error) {
	body, _ := json.Marshal(map[string]any{"model": model,
		"messages": []any{map[string]string{"role": "user", "content": "hello"}}})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return "", nil, err
	}
	request.GetBody = nil // no second try behind our back
	var phase atomic.Value
	request = request.WithContext(httptrace.WithClientTrace(ctx, phases(&phase)))
	response, err := c.http.Do(request)
	if err != nil {
		return "", nil, fmt.Errorf("%v: %w", phase.Load(), err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return "", nil, err
	}
	if response.StatusCode != http.StatusOK {
		return "", nil, fmt.Errorf("%d: %s", response.StatusCode, strings.TrimSpace(string(text[:min(len(text), 200)])))
	}
	var answer struct{ Standin struct{ Name string } }
	if json.Unmarshal(text, &answer) != nil || answer.Standin.Name == "" {
		return "", nil, errors.New("200, but no model says who it is")
	}
	return answer.Standin.Name, response.Header, nil
}
