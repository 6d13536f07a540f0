package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long the router waits after a change before it reads.
const settle = 300 * time.Millisecond

// watch tells of changes of the file, and of the ..data link that the kubelet swaps, each once
// things have settled. It watches the folder: the file itself is a link that never changes.
func watch(ctx context.Context, file string) (<-chan struct{}, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	if err := watcher.Add(filepath.Dir(file)); err != nil {
		return nil, err
	}
	changed := make(chan struct{})
	go func() {
		defer watcher.Close()
		defer close(changed)
		var due <-chan time.Time
		for {
			select {
			case <-ctx.Done():
				return
			case event := <-watcher.Events:
				name := filepath.Base(event.Name)
				if due == nil && (name == filepath.Base(file) || strings.HasPrefix(name, "..data")) {
					due = time.After(settle)
				}
			case err := <-watcher.Errors:
				slog.Error("config_watcher_error", "error", err.Error())
			case <-due:
				due = nil
				select {
				case changed <- struct{}{}:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return changed, nil
}

// reload takes the new document for requests that begin from now on. One that is refused, or that
// changes what was bound at the start, leaves the old one in place.
func (g *gateway) reload(changed <-chan struct{}, o options) {
	for range changed {
		old := g.current.Load()
		document, err := load(o.config, o.standalone())
		switch {
		case err != nil:
			g.counts.reload("refused")
			slog.Error("config_reload_failed", "error", err.Error(), "serving", old.Digest)
		case document.Digest == old.Digest:
		case o.standalone() && !sameListeners(document.Listeners, old.Listeners):
			g.counts.reload("refused")
			slog.Error("config_reload_failed", "error", "listeners changed, which needs a restart", "serving", old.Digest)
		default:
			g.current.Store(newGeneration(document))
			g.counts.reload("taken")
			slog.Info("config_reloaded", "config", document.Digest)
		}
	}
}
