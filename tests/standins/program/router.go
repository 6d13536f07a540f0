package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"
)

// options are the router's flags.
type options struct {
	config, gateway, listenerAddress, apiBind string
	port, apiPort, metricsPort                int
	enableAPI, validate                       bool
}

func routerOptions(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("router", flag.ContinueOnError)
	flags.StringVar(&o.config, "config", "/app/config/config.yaml", "the document")
	flags.StringVar(&o.gateway, "gateway", "standalone", "standalone or extproc")
	flags.StringVar(&o.listenerAddress, "listener-address", "", "replaces the address of every listener")
	flags.StringVar(&o.apiBind, "api-bind", "", "address of the management API; else that of the document")
	flags.IntVar(&o.port, "port", 50051, "gRPC port in extproc mode")
	flags.IntVar(&o.apiPort, "api-port", 0, "port of the management API; else that of the document, else 8080")
	flags.IntVar(&o.metricsPort, "metrics-port", 9190, "port of the metrics; 0 for none")
	flags.BoolVar(&o.enableAPI, "enable-api", true, "serve the management API")
	flags.BoolVar(&o.validate, "validate-config", false, "judge the document and exit")
	secure := flags.Bool("secure", false, "TLS on the gRPC port: not in the stand-in")
	for _, ignored := range []string{"cert-path", "kubeconfig", "namespace", "management-auth-mode"} {
		flags.String(ignored, "", "known to the router, without effect here")
	}
	for _, ignored := range []string{"download-only", "management-remote-exposure"} {
		flags.Bool(ignored, false, "known to the router, without effect here")
	}
	if err := parse(flags, args); err != nil {
		return o, err
	}
	if o.gateway != "standalone" && o.gateway != "extproc" {
		return o, usageError{fmt.Errorf("-gateway must be standalone or extproc, not %q", o.gateway)}
	}
	if *secure {
		return o, usageError{errors.New("-secure is not in the stand-in")}
	}
	return o, nil
}

func (o options) standalone() bool { return o.gateway == "standalone" }

func routerMain(ctx context.Context, args []string) error {
	o, err := routerOptions(args)
	if err != nil {
		return err
	}
	document, err := load(o.config, o.standalone())
	if o.validate {
		verdict := map[string]any{"valid": err == nil, "errors": []string{}}
		if err != nil {
			verdict["errors"] = []string{err.Error()}
		}
		_ = json.NewEncoder(os.Stdout).Encode(verdict)
	}
	if err != nil || o.validate {
		return err
	}
	readyAfter, err := duration("STANDIN_READY_AFTER")
	if err != nil {
		return err
	}
	g := &gateway{}
	g.current.Store(newGeneration(document))
	servers := o.servers(g, document)
	sockets, err := bind(servers)
	if err != nil {
		return err
	}
	reloads, err := watch(ctx, o.config)
	if err != nil {
		return err
	}
	go g.reload(reloads, o)
	stopGRPC := func() {}
	if !o.standalone() {
		if stopGRPC, err = serveHealth(ctx, o.port, readyAfter); err != nil {
			return err
		}
	}
	time.AfterFunc(readyAfter, func() { g.ready.Store(ctx.Err() == nil) })
	slog.Info("router_started", "gateway", o.gateway, "config", document.Digest)
	return serve(ctx, servers, func(s *http.Server) error { return s.Serve(sockets[s]) }, func() {
		g.ready.Store(false)
		stopGRPC()
	})
}

// servers are the listeners of standalone mode, the management API and the metrics.
func (o options) servers(g *gateway, d *Document) []*http.Server {
	var servers []*http.Server
	for _, listener := range d.Listeners {
		if o.standalone() {
			idle, _ := time.ParseDuration(listener.Timeout)
			address := cmp.Or(o.listenerAddress, listener.Address)
			server := newServer(address, listener.Port, g.handler(listener.Name))
			server.IdleTimeout = idle
			servers = append(servers, server)
		}
	}
	management := d.Global.Services.Management
	if o.enableAPI {
		address := cmp.Or(o.apiBind, management.Bind, "127.0.0.1")
		port := cmp.Or(o.apiPort, management.Port, 8080)
		servers = append(servers, newServer(address, port, g.management(management, o)))
	}
	if enabled := d.Global.Services.Observability.Metrics.Enabled; o.metricsPort > 0 && (enabled == nil || *enabled) {
		mux := http.NewServeMux()
		mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) { g.counts.write(w, g.current.Load().Digest) })
		servers = append(servers, newServer("", o.metricsPort, mux))
	}
	return servers
}

func newServer(address string, port int, handler http.Handler) *http.Server {
	return &http.Server{Addr: net.JoinHostPort(address, strconv.Itoa(port)), Handler: handler, ReadHeaderTimeout: time.Minute}
}

// bind opens every address, so that a router that can't have one ends instead of serving half.
func bind(servers []*http.Server) (map[*http.Server]net.Listener, error) {
	sockets := map[*http.Server]net.Listener{}
	for _, server := range servers {
		socket, err := net.Listen("tcp", server.Addr)
		if err != nil {
			return nil, err
		}
		sockets[server] = socket
	}
	return sockets, nil
}

// management is the part of the management API that tests ask for.
func (g *gateway) management(m Management, o options) http.Handler {
	mux, api := http.NewServeMux(), http.NewServeMux()
	g.probes(mux)
	api.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, g.current.Load().modelList())
	})
	api.HandleFunc("POST /api/v1/config/validate", func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		if _, err := read(data, o.standalone()); err != nil {
			writeJSON(w, http.StatusOK, map[string]any{"valid": false, "errors": []string{err.Error()}})
			return
		}
		writeJSON(w, http.StatusOK, map[string]any{"valid": true, "errors": []string{}})
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		var keys []string
		for _, token := range m.Auth.Tokens {
			if key := os.Getenv(token.Env); key != "" {
				keys = append(keys, key)
			}
		}
		if m.Auth.Mode == "bearer" && !hasKey(r, keys) {
			writeError(w, http.StatusUnauthorized, "unauthorized", "missing or invalid token")
			return
		}
		api.ServeHTTP(w, r)
	})
	return mux
}

// duration reads an environment variable; unset is 0.
func duration(name string) (time.Duration, error) {
	if os.Getenv(name) == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(os.Getenv(name))
	if err != nil || d < 0 {
		return 0, usageError{fmt.Errorf("%s is no duration", name)}
	}
	return d, nil
}

// counters are the metrics of the stand-in, by name and labels.
type counters struct {
	lock   sync.Mutex
	values map[string]int
}

func (c *counters) request(model, backend string, code int) {
	c.add(fmt.Sprintf("standin_requests_total{model=%q,backend=%q,code=\"%d\"}", model, backend, code))
}

func (c *counters) reload(result string) {
	c.add(fmt.Sprintf("standin_config_reloads_total{result=%q}", result))
}

func (c *counters) add(series string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.values == nil {
		c.values = map[string]int{}
	}
	c.values[series]++
}

func (c *counters) write(w http.ResponseWriter, digest string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	fmt.Fprintf(w, "standin_config_info{digest=%q} 1\n", digest)
	for _, series := range sorted(c.values) {
		fmt.Fprintf(w, "%s %d\n", series, c.values[series])
	}
}

// sameListeners says whether a reload can keep the sockets that are open.
func sameListeners(a, b []Listener) bool {
	return slices.EqualFunc(a, b, func(x, y Listener) bool {
		return x.Name == y.Name && x.Address == y.Address && x.Port == y.Port && x.Timeout == y.Timeout
	})
}
