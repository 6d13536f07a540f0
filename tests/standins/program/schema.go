package main

import (
	_ "embed"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
)

// fieldTable has a line for each field of the document: path ([] a list's item, {} a map's value,
// <type=rag> the configuration of a plugin of that type), type, need (required, or removed: the
// router had it once) and values (words, a range, duration, slash).
//
//go:embed fields.tsv
var fieldTable string

const ruleTree = "routing.decisions[].rules"

// node is a place in the document.
type node struct {
	kind, values      string
	required, removed bool
	fields            map[string]*node
	variants          map[string]*node
}

var schema = buildSchema()

func buildSchema() *node {
	root := &node{}
	for _, line := range strings.Split(strings.TrimRight(fieldTable, "\n"), "\n")[1:] {
		columns := strings.Split(line, "\t")
		n := root.at(columns[0])
		n.kind, n.required, n.removed, n.values = columns[1], columns[2] == "required", columns[2] == "removed", columns[3]
	}
	root.at("recipes[].routing").fields = root.at("routing").fields
	return root
}

func (n *node) at(path string) *node {
	path = strings.NewReplacer("[]", ".[]", "{}", ".{}").Replace(path)
	for _, step := range strings.Split(path, ".") {
		name, variant, _ := strings.Cut(step, "<type=")
		n = child(&n.fields, name)
		if variant != "" {
			n = child(&n.variants, strings.TrimSuffix(variant, ">"))
		}
	}
	return n
}

func child(of *map[string]*node, name string) *node {
	if *of == nil {
		*of = map[string]*node{}
	}
	if (*of)[name] == nil {
		(*of)[name] = &node{}
	}
	return (*of)[name]
}

// problems collects what is wrong with a document, each with its path.
type problems []string

func (p *problems) add(path, format string, args ...any) {
	*p = append(*p, path+": "+fmt.Sprintf(format, args...))
}

// check compares a value with its place: keys, types, words, ranges.
func (p *problems) check(n *node, value any, path string) {
	if n.kind == "object(recursive:RuleNode)" {
		n = schema.at(ruleTree)
	}
	switch {
	case value == nil: // as if it weren't written
	case n.fields["[]"] != nil:
		list, ok := value.([]any)
		if !ok {
			p.add(path, "must be a list, not %s", kindOf(value))
		}
		for i, item := range list {
			p.check(n.fields["[]"], item, fmt.Sprintf("%s[%d]", path, i))
		}
	case n.fields["{}"] != nil || n.fields != nil || strings.HasPrefix(n.kind, "object") || strings.HasPrefix(n.kind, "map("):
		p.checkMap(n, value, path)
	case strings.HasPrefix(n.kind, "list("):
		list, ok := value.([]any)
		if !ok {
			p.add(path, "must be a list, not %s", kindOf(value))
		}
		for i, item := range list {
			p.check(&node{kind: n.kind[5 : len(n.kind)-1], values: n.values}, item, fmt.Sprintf("%s[%d]", path, i))
		}
	default:
		p.checkScalar(n, value, path)
	}
}

func (p *problems) checkMap(n *node, value any, path string) {
	fields, ok := value.(map[string]any)
	if !ok {
		p.add(path, "must be a map, not %s", kindOf(value))
		return
	}
	any := n.fields["{}"]
	if kind, isMap := strings.CutPrefix(n.kind, "map(string,"); isMap {
		any = &node{kind: kind[:len(kind)-1]}
	}
	for _, key := range sorted(fields) {
		where := strings.TrimPrefix(path+"."+key, ".")
		known := n.fields[key]
		switch {
		case any != nil:
			p.check(any, fields[key], where)
		case n.fields == nil: // a block whose keys the router takes as they come
		case known == nil:
			p.add(where, "unknown key")
		case known.removed:
			p.add(where, "key was removed")
		case known.variants != nil && known.variants[text(fields["type"])] != nil:
			p.check(known.variants[text(fields["type"])], fields[key], where)
		default:
			p.check(known, fields[key], where)
		}
	}
	for _, key := range sorted(n.fields) {
		if n.fields[key].required && (fields[key] == nil || fields[key] == "") {
			p.add(strings.TrimPrefix(path+"."+key, "."), "is required")
		}
	}
}

func (p *problems) checkScalar(n *node, value any, path string) {
	var ok bool
	number, isNumber := asNumber(value)
	switch n.kind {
	case "", "any":
		return
	case "string":
		_, ok = value.(string)
	case "bool":
		_, ok = value.(bool)
	case "int":
		ok = isNumber && number == float64(int64(number))
	case "float":
		ok = isNumber
	default: // string|int, int|"auto"
		_, isText := value.(string)
		ok = isNumber || isText
	}
	if !ok {
		p.add(path, "must be %s, not %s", n.kind, kindOf(value))
	} else if problem := outside(n.values, value, number); problem != "" {
		p.add(path, "%s", problem)
	}
}

// outside says how a value breaks the words or the range of its place; empty text is the default.
func outside(values string, value any, number float64) string {
	low, high, isRange := strings.Cut(values, "..")
	written, isText := value.(string)
	switch {
	case values == "" || isText && written == "":
	case values == "duration":
		if d, err := time.ParseDuration(written); err != nil || d < 0 {
			return "is no duration"
		}
	case values == "slash":
		if !strings.HasPrefix(written, "/") {
			return "must begin with /"
		}
	case isRange:
		if number < parseFloat(low) || number > parseFloat(high) {
			return "must be in " + values
		}
	case strings.HasPrefix(values, ">"):
		limit := parseFloat(strings.TrimLeft(values, ">="))
		if number < limit || number == limit && !strings.HasPrefix(values, ">=") {
			return "must be " + values
		}
	case isText:
		for _, word := range strings.Split(values, "|") {
			if word == written {
				return ""
			}
		}
		return fmt.Sprintf("%q is not one of %s", written, values)
	}
	return ""
}

func parseFloat(s string) float64 {
	f, _ := strconv.ParseFloat(s, 64)
	return f
}

func asNumber(value any) (float64, bool) {
	switch v := value.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func kindOf(value any) string {
	switch value.(type) {
	case string:
		return "text"
	case bool:
		return "a bool"
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	}
	return fmt.Sprintf("a number (%T)", value)
}

func text(value any) string {
	s, _ := value.(string)
	return s
}

func sorted[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
