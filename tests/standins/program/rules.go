package main

import (
	"fmt"
	"net/netip"
	"os"
	"strings"
)

// signalsOf names, for each type of condition, the signals that declare its name.
var signalsOf = map[string]string{
	"authz": "role_bindings", "classifier": "classifiers", "complexity": "complexity",
	"context": "context", "conversation": "conversation", "domain": "domains",
	"embedding": "embeddings", "event": "events", "fact_check": "fact_check",
	"input_modality": "input_modality", "jailbreak": "jailbreak", "kb": "kb", "keyword": "keywords",
	"language": "language", "metadata": "metadata", "modality": "modality", "pii": "pii",
	"preference": "preferences", "reask": "reasks", "safety": "safety", "structure": "structure",
	"user_feedback": "user_feedbacks",
}

// judge applies the router's rules on more than one field.
func (p *problems) judge(d *Document, standalone bool) {
	p.judgeListeners(d, standalone)
	models := p.judgeModels(d)
	loras := p.judgeCards(d, models)
	if name := d.Providers.Defaults.Model; name != "" && !models[name] && !loras.owned(name) {
		p.add("providers.defaults.model", "%q is no model", name)
	}
	p.judgeRouting(d.Routing, models, loras)
	p.judgeManagement(d.Global.Services.Management)
}

// once reports a name that is there already.
func (p *problems) once(seen map[string]bool, path, name string) {
	if seen[name] {
		p.add(path, "%q is there twice", name)
	}
	seen[name] = true
}

func (p *problems) judgeListeners(d *Document, standalone bool) {
	if standalone && len(d.Listeners) == 0 {
		p.add("listeners", "standalone mode needs at least one")
	}
	names, addresses := map[string]bool{}, map[string]bool{}
	for i, listener := range d.Listeners {
		path := fmt.Sprintf("listeners[%d]", i)
		p.once(names, path+".name", listener.Name)
		p.once(addresses, path, fmt.Sprintf("%s:%d", listener.Address, listener.Port))
		if listener.Port < 1 || listener.Port > 65535 {
			p.add(path+".port", "%d is no port", listener.Port)
		}
		if len(listener.Models) > 0 && !standalone {
			p.add(path+".models", "is unsupported with -gateway=extproc")
		}
	}
}

func (p *problems) judgeModels(d *Document) map[string]bool {
	names := map[string]bool{}
	for i, model := range d.Providers.Models {
		path := fmt.Sprintf("providers.models[%d]", i)
		names[model.Name] = true
		if len(model.Refs) == 0 && len(d.Listeners) > 0 {
			p.add(path+".backend_refs", "a model that a listener serves needs a backend")
		}
		if model.Reliability.RetryCount > 0 && model.Reliability.RetryOn == "" {
			p.add(path+".reliability.retry_on", "is required by retry_count")
		}
		p.judgeRefs(path, model.Refs)
	}
	return names
}

// judgeRefs checks each backend, and that those of a model differ in host, port, weight and name only.
func (p *problems) judgeRefs(path string, refs []Ref) {
	seen := map[string]bool{}
	for i, ref := range refs {
		where := fmt.Sprintf("%s.backend_refs[%d]", path, i)
		p.once(seen, where+".name", ref.normalName(i, len(refs)))
		target, err := ref.target()
		if err != nil {
			p.add(where, "%v", err)
			continue
		}
		first, err := refs[0].target()
		if err == nil && ref.shared(target) != refs[0].shared(first) {
			p.add(where, "differs from backend_refs[0] in more than host, port, weight and name")
		}
	}
}

// aliases are the LoRA adapters of each model, by the model's name.
type aliases map[string]map[string]bool

func (a aliases) owned(name string) bool {
	for _, names := range a {
		if names[name] {
			return true
		}
	}
	return false
}

func (p *problems) judgeCards(d *Document, models map[string]bool) aliases {
	cards, loras := map[string]bool{}, aliases{}
	for i, card := range d.Routing.Cards {
		path := fmt.Sprintf("routing.modelCards[%d]", i)
		p.once(cards, path+".name", card.Name)
		if !models[card.Name] {
			p.add(path+".name", "%q is no model of providers.models", card.Name)
		}
		loras[card.Name] = map[string]bool{}
		for _, lora := range card.LoRAs {
			loras[card.Name][lora.Name] = true
		}
	}
	for i, model := range d.Providers.Models {
		if len(cards) > 0 && !cards[model.Name] {
			p.add(fmt.Sprintf("providers.models[%d].name", i), "%q has no card in routing.modelCards", model.Name)
		}
	}
	return loras
}

func (p *problems) judgeRouting(r Routing, models map[string]bool, loras aliases) {
	declared := map[string]map[string]bool{"projection": {}}
	for kind, collection := range signalsOf {
		declared[kind] = map[string]bool{}
		for i, signal := range r.Signals[collection] {
			name := text(signal["name"])
			p.once(declared[kind], fmt.Sprintf("routing.signals.%s[%d].name", collection, i), name)
		}
	}
	for _, binding := range r.Signals["role_bindings"] {
		declared["authz"][text(binding["role"])] = true
	}
	for _, mapping := range r.Projections.Mappings {
		for _, output := range mapping.Outputs {
			p.once(declared["projection"], "routing.projections.mappings[].outputs[].name", output.Name)
		}
	}
	names := map[string]bool{}
	for i, decision := range r.Decisions {
		where := fmt.Sprintf("routing.decisions[%d]", i)
		p.once(names, where+".name", decision.Name)
		p.judgeDecision(where, decision, models, loras)
		if decision.Rules != nil {
			p.judgeRule(where+".rules", *decision.Rules, declared)
		}
	}
}

func (p *problems) judgeDecision(path string, d Decision, models map[string]bool, loras aliases) {
	if d.Tier < 0 {
		p.add(path+".tier", "is negative")
	}
	for i, ref := range d.ModelRefs {
		where := fmt.Sprintf("%s.modelRefs[%d]", path, i)
		if !models[ref.Model] && !loras.owned(ref.Model) {
			p.add(where+".model", "%q is neither a model nor a LoRA adapter", ref.Model)
		} else if ref.LoRA != "" && !loras[ref.Model][ref.LoRA] {
			p.add(where+".lora_name", "%q is no LoRA adapter of %q", ref.LoRA, ref.Model)
		}
	}
	kind, blocks := text(d.Algorithm["type"]), 0
	for key, block := range d.Algorithm {
		if _, isBlock := block.(map[any]any); isBlock {
			blocks++
			if key != kind {
				p.add(path+".algorithm."+key, "doesn't belong to type %q", kind)
			}
		}
	}
	if (kind == "latency_aware" || kind == "prompt") && blocks == 0 {
		p.add(path+".algorithm."+kind, "is required by the type")
	}
	plugins := map[string]bool{}
	for i, plugin := range d.Plugins {
		p.once(plugins, fmt.Sprintf("%s.plugins[%d].type", path, i), plugin.Type)
	}
}

func (p *problems) judgeRule(path string, rule Rule, declared map[string]map[string]bool) {
	for i, condition := range rule.Conditions {
		p.judgeRule(fmt.Sprintf("%s.conditions[%d]", path, i), condition, declared)
	}
	if rule.Type == "" {
		if rule.Operator == "" && len(rule.Conditions) == 0 {
			p.add(path, "has neither type nor operator")
		}
		return
	}
	names, name := declared[rule.Type], rule.Name
	if rule.Type == "complexity" {
		signal, level, _ := strings.Cut(name, ":")
		if level != "easy" && level != "medium" && level != "hard" {
			p.add(path+".name", "must end with :easy, :medium or :hard")
		}
		name = signal
	}
	if rule.Type == "domain" && len(names) == 0 && name != "" {
		return // the router declares it itself
	}
	if !names[name] {
		p.add(path+".name", "no signal of type %s is called %q", rule.Type, name)
	}
}

func (p *problems) judgeManagement(m Management) {
	if m.Port == 50051 || m.Port == 9190 {
		p.add("global.services.management_api.port", "%d is taken by the router", m.Port)
	}
	address, err := netip.ParseAddr(m.Bind)
	guarded := m.Remote && m.Auth.Mode == "bearer" && len(m.Auth.Tokens) > 0
	internal := os.Getenv("VLLM_SR_MANAGEMENT_INTERNAL_LISTENER") == "true"
	switch {
	case m.Bind == "" || m.Bind == "localhost":
	case err != nil:
		p.add("global.services.management_api.bind_address", "is neither an IP address nor localhost")
	case address.IsUnspecified() && !guarded && !internal:
		p.add("global.services.management_api.bind_address", "opens the API to everybody without tokens")
	}
}
