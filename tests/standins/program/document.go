package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v2" // the router's reader: YAML 1.1 (yes is a bool, 010 is 8), the last of two keys wins
)

// Document is a document that the router takes.
type Document struct {
	Digest    string // sha256:<hex> of the file's bytes
	Listeners []Listener
	Providers struct {
		Defaults struct{ Model string }
		Models   []Model
	}
	Routing Routing
	Global  struct {
		Router struct {
			AutoModelName  string   `yaml:"auto_model_name"`
			AutoModelNames []string `yaml:"auto_model_names"`
			ListModels     bool     `yaml:"include_config_models_in_list"`
		}
		Services struct {
			Management    Management `yaml:"management_api"`
			Observability struct{ Metrics struct{ Enabled *bool } }
		}
	}
}

// Listener is an address that serves requests in standalone mode.
type Listener struct {
	Name, Address, Timeout string
	Port                   int
	APIKeys                []string `yaml:"api_keys"`
	Models                 []string
}

// Model is an entry of providers.models.
type Model struct {
	Name            string
	ProviderModelID string            `yaml:"provider_model_id"`
	External        map[string]string `yaml:"external_model_ids"`
	Refs            []Ref             `yaml:"backend_refs"`
	Reliability     struct {
		LBPolicy   string `yaml:"lb_policy"`
		RetryCount int    `yaml:"retry_count"`
		RetryOn    string `yaml:"retry_on"`
	}
}

// Ref is one backend of a model.
type Ref struct {
	Name, Endpoint, Protocol, Provider string
	Weight                             int
	BaseURL                            string            `yaml:"base_url"`
	AuthHeader                         string            `yaml:"auth_header"`
	AuthPrefix                         *string           `yaml:"auth_prefix"`
	Headers                            map[string]string `yaml:"extra_headers"`
	APIVersion                         string            `yaml:"api_version"`
	ChatPath                           string            `yaml:"chat_path"`
	APIKey                             string            `yaml:"api_key"`
	APIKeyEnv                          string            `yaml:"api_key_env"`
}

// Routing is the top-level profile.
type Routing struct {
	Cards []struct {
		Name  string
		LoRAs []struct{ Name string } `yaml:"loras"`
	} `yaml:"modelCards"`
	Signals     map[string][]map[string]any
	Projections struct {
		Mappings []struct{ Outputs []struct{ Name string } }
	}
	Decisions []Decision
}

// Decision chooses models for the requests that match its rules.
type Decision struct {
	Name      string
	Priority  int
	Tier      int
	Rules     *Rule
	ModelRefs []struct {
		Model  string
		LoRA   string `yaml:"lora_name"`
		Weight float64
	} `yaml:"modelRefs"`
	Algorithm map[string]any
	Plugins   []struct{ Type string }
}

// Rule is a condition, or a tree of them.
type Rule struct {
	Type, Name, Operator string
	Conditions           []Rule
}

// Management is the management API's address and guard.
type Management struct {
	Bind   string `yaml:"bind_address"`
	Port   int
	Remote bool `yaml:"remote_exposure"`
	Auth   struct {
		Mode   string
		Tokens []struct{ Env string }
	}
}

// fatal is the name of a decision whose document ends the process, at the start and at a reload: settings that
// no rule refuses and no router bears.
const fatal = "standin-crash"

// load reads a file and judges it as the router does in that mode.
func load(path string, standalone bool) (*Document, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	document, err := read(data, standalone)
	if err != nil {
		return nil, fmt.Errorf("%s is refused: %w", path, err)
	}
	for _, decision := range document.Routing.Decisions {
		if decision.Name == fatal {
			fmt.Fprintf(os.Stderr, "%s has a decision %s\n", path, fatal)
			os.Exit(3)
		}
	}
	return document, nil
}

func read(data []byte, standalone bool) (*Document, error) {
	var raw map[string]any
	if err := yaml.Unmarshal(data, &raw); err != nil {
		return nil, err
	}
	converted, err := plain(raw)
	if err != nil {
		return nil, err
	}
	tree := converted.(map[string]any)
	if tree["routing"] == nil && !has(tree, "global") {
		return nil, errors.New("has neither routing nor global")
	}
	var found problems
	found.aliases(tree)
	tree = expand(tree).(map[string]any)
	found.check(schema, tree, "")
	if len(found) > 0 {
		return nil, errors.New(strings.Join(found, "; "))
	}
	normal, err := yaml.Marshal(tree)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	document := &Document{Digest: "sha256:" + hex.EncodeToString(sum[:])}
	if err := yaml.Unmarshal(normal, document); err != nil {
		return nil, err
	}
	found.judge(document, standalone)
	if len(found) > 0 {
		return nil, errors.New(strings.Join(found, "; "))
	}
	return document, nil
}

// plain turns the reader's maps into maps with text keys.
func plain(value any) (any, error) {
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			converted, err := plain(item)
			if err != nil {
				return nil, err
			}
			v[key] = converted
		}
	case map[any]any:
		fields := make(map[string]any, len(v))
		for key, item := range v {
			name, ok := key.(string)
			if !ok {
				return nil, fmt.Errorf("key %v is read as %T, not as text", key, key)
			}
			fields[name] = item
		}
		return plain(fields)
	case []any:
		for i, item := range v {
			converted, err := plain(item)
			if err != nil {
				return nil, err
			}
			v[i] = converted
		}
	}
	return value, nil
}

// aliases writes the older names of response_cache as today's.
func (p *problems) aliases(tree map[string]any) {
	global, _ := tree["global"].(map[string]any)
	stores, _ := global["stores"].(map[string]any)
	if old, ok := stores["semantic_cache"]; ok {
		if has(stores, "response_cache") {
			p.add("global.stores", "has response_cache and semantic_cache")
		}
		stores["response_cache"] = old
		delete(stores, "semantic_cache")
	}
	routing, _ := tree["routing"].(map[string]any)
	decisions, _ := routing["decisions"].([]any)
	for _, decision := range decisions {
		fields, _ := decision.(map[string]any)
		plugins, _ := fields["plugins"].([]any)
		for _, plugin := range plugins {
			if fields, ok := plugin.(map[string]any); ok {
				switch fields["type"] {
				case "semantic-cache", "semantic_cache", "response-cache":
					fields["type"] = "response_cache"
				}
			}
		}
	}
}

func has(m map[string]any, key string) bool {
	_, ok := m[key]
	return ok
}

// expand replaces environment variables in every text; keys stay.
func expand(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			v[key] = expand(item)
		}
	case []any:
		for i, item := range v {
			v[i] = expand(item)
		}
	case string:
		return expandText(v)
	}
	return value
}

// variable is $VAR, ${VAR}, ${VAR:-default}, ${VAR-default} or $$; nothing nests, and a $ that
// begins none of them stays.
var variable = regexp.MustCompile(`\$(\$|\{[^}]*\}|[A-Za-z0-9_]+)`)

func expandText(s string) string {
	return variable.ReplaceAllStringFunc(s, func(found string) string {
		name, braced := strings.CutPrefix(found[1:], "{")
		name = strings.TrimSuffix(name, "}")
		if name == "$" && !braced {
			return "$"
		}
		before, fallback, hasDefault := strings.Cut(name, "-")
		if !hasDefault || !braced {
			return os.Getenv(name)
		}
		before, orEmpty := strings.CutSuffix(before, ":")
		if value, set := os.LookupEnv(before); set && !(orEmpty && value == "") {
			return value
		}
		return fallback
	})
}
