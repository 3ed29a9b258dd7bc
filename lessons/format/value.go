package format

import (
	"errors"
	"fmt"
	"math"
	"time"

	"go.yaml.in/yaml/v3"
)

// value reads any value; null takes the field away.
func (r *reader) value(a place) any {
	v, err := plainValue(a.Node)
	if err != nil {
		r.fault(a, "it cannot be read: %v: write a plain value", err)
	}
	return v
}

// plainValue is what a node says in the types of decoded JSON, as objects of
// Kubernetes have them: string, int64, float64, bool, nil, []any and
// map[string]any. A date is the text that it is written as.
func plainValue(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.MappingNode:
		return plainMapping(n)
	case yaml.SequenceNode:
		list := []any{}
		for _, child := range n.Content {
			v, err := plainValue(child)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	}
	var v any
	if err := n.Decode(&v); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case int:
		return int64(v), nil
	case uint64:
		return nil, fmt.Errorf("%s is larger than any number here", brief(n.Value))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%s is no number in JSON", brief(n.Value))
		}
	case time.Time:
		return n.Value, nil
	}
	return v, nil
}

func plainMapping(n *yaml.Node) (map[string]any, error) {
	to := map[string]any{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge" {
			return nil, errors.New("a field's name is no text")
		}
		if _, twice := to[key.Value]; twice {
			return nil, fmt.Errorf("%s is there twice", brief(key.Value))
		}
		v, err := plainValue(n.Content[i+1])
		if err != nil {
			return nil, err
		}
		to[key.Value] = v
	}
	return to, nil
}
