package main

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// provider is how a type of provider takes a request.
type provider struct{ header, prefix, path string }

var providers = map[string]provider{
	"vllm":         {"Authorization", "Bearer", "/chat/completions"},
	"openai":       {"Authorization", "Bearer", "/chat/completions"},
	"bedrock":      {"Authorization", "Bearer", "/chat/completions"},
	"gemini":       {"Authorization", "Bearer", "/chat/completions"},
	"vertex-ai":    {"Authorization", "Bearer", "/chat/completions"},
	"minimax":      {"Authorization", "Bearer", "/v1/chat/completions"},
	"azure-openai": {"api-key", "", "/chat/completions"},
	"anthropic":    {"x-api-key", "", "/v1/messages"},
}

// target is where a backend is: base_url, or endpoint with protocol.
type target struct {
	scheme, host, base string
	port               int
}

func (t target) address() string { return net.JoinHostPort(t.host, strconv.Itoa(t.port)) }

func (t target) isIP() bool {
	_, err := netip.ParseAddr(t.host)
	return err == nil
}

func (r Ref) target() (target, error) {
	address := cmp.Or(r.BaseURL, r.Endpoint)
	if address == "" {
		return target{}, errors.New("has neither endpoint nor base_url")
	}
	if !strings.Contains(address, "://") {
		address = cmp.Or(r.Protocol, "http") + "://" + address
	}
	parsed, err := url.Parse(address)
	if err != nil {
		return target{}, errors.New("has an address that can't be read")
	}
	t := target{scheme: parsed.Scheme, host: parsed.Hostname(), port: map[string]int{"http": 80, "https": 443}[parsed.Scheme]}
	if r.BaseURL != "" {
		t.base = strings.TrimRight(parsed.EscapedPath(), "/")
	}
	if parsed.Port() != "" {
		t.port, _ = strconv.Atoi(parsed.Port())
	}
	switch {
	case parsed.Scheme != "http" && parsed.Scheme != "https":
		return t, fmt.Errorf("scheme %q is unsupported", parsed.Scheme)
	case t.host == "":
		return t, errors.New("has no host")
	case t.port < 1 || t.port > 65535 || strings.HasSuffix(parsed.Host, ":"):
		return t, errors.New("has no port of 1..65535")
	case t.scheme == "https" && t.isIP():
		return t, errors.New("HTTPS needs a DNS name, not an address")
	}
	return t, nil
}

func (r Ref) normalName(index, count int) string {
	name := strings.ToLower(strings.TrimSpace(r.Name))
	if name == "" && count == 1 {
		return "primary"
	} else if name == "" {
		return fmt.Sprintf("backend-%d", index+1)
	}
	return name
}

// shared is what all backends of a model must have in common.
func (r Ref) shared(t target) string {
	prefix := "<default>"
	if r.AuthPrefix != nil {
		prefix = *r.AuthPrefix
	}
	server := t.host
	if t.scheme == "http" {
		server = ""
	}
	return fmt.Sprintf("%q", []any{r.Provider, t.scheme, t.isIP(), t.base, server, r.APIKey, r.APIKeyEnv,
		r.AuthHeader, prefix, fmt.Sprint(r.Headers), r.APIVersion, r.ChatPath})
}

// endpoint is a backend that requests go to.
type endpoint struct {
	target
	name     string
	weight   float64
	deadline float64 // when it is due in the schedule
	active   atomic.Int64
}

// cluster is a model with its backends.
type cluster struct {
	name, upstreamModel, apiVersion, chatPath string
	base                                      string
	hasProfile                                bool
	header, credential                        string
	headers                                   map[string]string
	retries                                   int
	retryOn                                   []string
	leastRequest                              bool
	lock                                      sync.Mutex
	now                                       float64
	endpoints                                 []*endpoint
}

func newCluster(model Model) *cluster {
	c := &cluster{name: model.Name, upstreamModel: upstreamName(model), retries: model.Reliability.RetryCount,
		leastRequest: model.Reliability.LBPolicy == "least_request"}
	for _, token := range strings.Split(model.Reliability.RetryOn, ",") {
		c.retryOn = append(c.retryOn, strings.TrimSpace(token))
	}
	for i, ref := range model.Refs {
		t, _ := ref.target() // judged before
		weight := float64(max(ref.Weight, 1))
		c.endpoints = append(c.endpoints, &endpoint{target: t, name: ref.normalName(i, len(model.Refs)), weight: weight, deadline: 1 / weight})
		if key := ref.key(); key != "" && c.credential == "" {
			c.credential = key
		}
	}
	if len(model.Refs) == 0 {
		return c
	}
	first := model.Refs[0]
	kind, known := providers[first.Provider]
	if !known {
		kind = providers["vllm"]
	}
	c.base, c.hasProfile = c.endpoints[0].base, first.BaseURL != ""
	c.headers, c.apiVersion, c.chatPath = first.Headers, first.APIVersion, first.ChatPath
	c.header = cmp.Or(first.AuthHeader, kind.header)
	prefix := kind.prefix
	if first.AuthPrefix != nil {
		prefix = *first.AuthPrefix
	}
	if c.credential != "" {
		c.credential = strings.TrimSpace(prefix + " " + c.credential)
	}
	if c.chatPath == "" && c.hasProfile {
		c.chatPath = c.base + kind.path
	}
	if c.apiVersion != "" && first.Provider == "azure-openai" && c.chatPath != "" {
		c.chatPath += "?api-version=" + url.QueryEscape(c.apiVersion)
	}
	return c
}

// upstreamName is the name that the backend serves the model under.
func upstreamName(model Model) string {
	if len(model.External) > 0 {
		kind := "vllm"
		if len(model.Refs) > 0 {
			kind = cmp.Or(model.Refs[0].Provider, kind)
		}
		return cmp.Or(model.External[kind], model.Name)
	}
	return cmp.Or(model.ProviderModelID, model.Name)
}

// key is the backend's key; the router expands a $ in it once more when it sends a request.
func (r Ref) key() string {
	if r.APIKey != "" {
		return os.ExpandEnv(r.APIKey)
	}
	if r.APIKeyEnv == "" {
		return ""
	}
	return os.ExpandEnv(os.Getenv(r.APIKeyEnv))
}

// pick takes the backend that is due by weight (earliest deadline first); with least_request the
// weight counts for less the more requests a backend has. A retry avoids backends that were tried.
func (c *cluster) pick(tried []*endpoint) *endpoint {
	c.lock.Lock()
	defer c.lock.Unlock()
	var due *endpoint
	for _, e := range c.endpoints {
		fresh := !slices.Contains(tried, e) || len(tried) >= len(c.endpoints)
		if fresh && (due == nil || e.deadline < due.deadline) {
			due = e
		}
	}
	if due == nil {
		return nil
	}
	weight := due.weight
	if c.leastRequest {
		weight /= float64(due.active.Load() + 1)
	}
	c.now = max(c.now, due.deadline)
	due.deadline = c.now + 1/weight
	return due
}

// retriesOn says whether the policy covers one of these conditions.
func (c *cluster) retriesOn(conditions ...string) bool {
	return slices.ContainsFunc(conditions, func(condition string) bool { return slices.Contains(c.retryOn, condition) })
}
