// Stand-ins for tests, in one program: `router` behaves like vLLM Semantic Router at its edges,
// `model` like an OpenAI-compatible model server; `health` asks a gRPC port how it is, `load` sends
// completions at an even rate, `signal` kills another pod's processes. See ../README.md for what they leave out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// drain bounds how long requests may finish after SIGTERM, as in the real router.
const drain = 25 * time.Second

func main() {
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stderr, nil)))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	run := map[string]func(context.Context, []string) error{
		"router": routerMain, "model": modelMain, "health": healthMain, "load": loadMain, "signal": signalMain,
	}
	if len(os.Args) < 2 || run[os.Args[1]] == nil {
		fmt.Fprintf(os.Stderr, "usage: %s router|model|health|load|signal [flags]\n", os.Args[0])
		os.Exit(2)
	}
	err := run[os.Args[1]](ctx, os.Args[2:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(0)
	case errors.As(err, new(usageError)):
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// usageError is a command line that makes no sense.
type usageError struct{ error }

// parse reads flags as Go's flag package does, which is what the real router uses.
func parse(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return usageError{err}
	}
	if flags.NArg() > 0 {
		return usageError{fmt.Errorf("unexpected argument %q", flags.Arg(0))}
	}
	return nil
}

// serve runs the servers until ctx ends or one fails, then lets their requests finish.
func serve(ctx context.Context, servers []*http.Server, start func(*http.Server) error, stopping func()) error {
	failed := make(chan error, len(servers))
	for _, server := range servers {
		go func() {
			if err := start(server); !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("%s: %w", server.Addr, err)
			}
		}()
	}
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		slog.Info("shutdown_started", "drain", drain.String())
	}
	stopping()
	limit, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	done := make(chan error, len(servers))
	for _, server := range servers {
		go func() { done <- server.Shutdown(limit) }()
	}
	for range servers {
		err = errors.Join(err, <-done)
	}
	return err
}
