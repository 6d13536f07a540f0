package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// builtinAuto are the names that always let the router choose.
var builtinAuto = map[string]bool{"auto": true, "MoM": true, "vllm-sr/auto": true}

// generation is a document ready to serve; a request keeps the one it began with.
type generation struct {
	*Document
	clusters map[string]*cluster
	loras    map[string]string // LoRA adapter -> model that has it
}

func newGeneration(d *Document) *generation {
	g := &generation{Document: d, clusters: map[string]*cluster{}, loras: map[string]string{}}
	for _, model := range d.Providers.Models {
		if g.clusters[model.Name] == nil {
			g.clusters[model.Name] = newCluster(model)
		}
	}
	for _, card := range d.Routing.Cards {
		for _, lora := range card.LoRAs {
			if g.loras[lora.Name] == "" {
				g.loras[lora.Name] = card.Name
			}
		}
	}
	return g
}

// choice is what a request gets: the model's backends and the name that they know it by.
type choice struct {
	cluster            *cluster
	upstream, decision string
}

// choose takes the model that the request names, or, for an automatic name, the first model of the
// matching decision with the highest priority, else the default model.
func (g *generation) choose(name, prompt string) (choice, bool) {
	name = strings.TrimSpace(name)
	if found, ok := g.named(name); ok {
		return found, true
	}
	if !builtinAuto[name] && !slices.Contains(g.autoNames(), name) {
		return choice{}, false
	}
	decisions := slices.Clone(g.Routing.Decisions)
	sort.SliceStable(decisions, func(i, j int) bool { return decisions[i].Priority > decisions[j].Priority })
	for _, decision := range decisions {
		if len(decision.ModelRefs) == 0 || decision.Rules != nil && !g.Routing.matches(*decision.Rules, prompt) {
			continue
		}
		ref := decision.ModelRefs[0]
		if found, ok := g.named(ref.Model); ok {
			found.decision = decision.Name
			if ref.LoRA != "" {
				found.upstream = ref.LoRA
			}
			return found, true
		}
	}
	return g.named(g.Providers.Defaults.Model)
}

// named finds a model or a LoRA adapter.
func (g *generation) named(name string) (choice, bool) {
	if c := g.clusters[name]; c != nil {
		return choice{cluster: c, upstream: c.upstreamModel}, true
	}
	if c := g.clusters[g.loras[name]]; c != nil {
		return choice{cluster: c, upstream: name}, true
	}
	return choice{}, false
}

// autoNames are the automatic names that the router lists.
func (g *generation) autoNames() []string {
	names := slices.Clone(g.Global.Router.AutoModelNames)
	if name := g.Global.Router.AutoModelName; name != "" {
		return append(names, name)
	}
	return append(names, "MoM")
}

// matches knows keywords only: a condition of any other type never matches here.
func (r *Routing) matches(rule Rule, prompt string) bool {
	if rule.Type != "" {
		return rule.Type == "keyword" && r.keyword(rule.Name, prompt)
	}
	count := 0
	for _, condition := range rule.Conditions {
		if r.matches(condition, prompt) {
			count++
		}
	}
	switch strings.ToUpper(rule.Operator) {
	case "AND":
		return count == len(rule.Conditions)
	case "NOT":
		return len(rule.Conditions) == 1 && count == 0
	}
	return count > 0
}

func (r *Routing) keyword(name, prompt string) bool {
	for _, signal := range r.Signals["keywords"] {
		if text(signal["name"]) != name {
			continue
		}
		words, _ := signal["keywords"].([]any)
		count := 0
		for _, word := range words {
			pattern := `\b` + regexp.QuoteMeta(text(word)) + `\b`
			if signal["case_sensitive"] != true {
				pattern = "(?i)" + pattern
			}
			if regexp.MustCompile(pattern).MatchString(prompt) {
				count++
			}
		}
		switch text(signal["operator"]) {
		case "AND":
			return count == len(words)
		case "NOR":
			return count == 0
		}
		return count > 0
	}
	return false
}

// lastPrompt is the text of the last message of the user.
func lastPrompt(body map[string]json.RawMessage) string {
	var messages []struct {
		Role    string
		Content any
	}
	_ = json.Unmarshal(body["messages"], &messages)
	for _, message := range slices.Backward(messages) {
		if message.Role != "user" {
			continue
		}
		parts, _ := message.Content.([]any)
		texts := []string{text(message.Content)}
		for _, part := range parts {
			fields, _ := part.(map[string]any)
			texts = append(texts, text(fields["text"]))
		}
		return strings.Join(texts, " ")
	}
	return ""
}
