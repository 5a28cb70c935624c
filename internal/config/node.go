package config

import (
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"
)

// FromNode reads a value of the file. YAML types are kept apart: a number is not a text, and a word
// that YAML reads as a boolean is neither.
func (r Rule) FromNode(n *yaml.Node) (any, error) {
	if n.Kind == yaml.SequenceNode {
		if !r.takesList() {
			return nil, errors.New("it is a list")
		}
		items := make([]string, len(n.Content))
		for i, item := range n.Content {
			if item.Kind != yaml.ScalarNode || item.ShortTag() != "!!str" {
				return nil, fmt.Errorf("item %d is not text: put it in quotes", i+1)
			}
			items[i] = item.Value
		}
		return r.checkList(items)
	}
	if n.Kind != yaml.ScalarNode {
		return nil, errors.New("it holds keys")
	}
	if !slices.Contains(r.tags(), n.ShortTag()) {
		return nil, r.wrongTag(n)
	}
	switch r.Kind {
	case Shell: // even if it looks like a JSON array
		return n.Value, shellLine(n.Value)
	case Args:
		return r.commandWords(n.Value)
	}
	return r.FromText(n.Value)
}

func (r Rule) takesList() bool { return r.Kind >= List }

// tags returns the YAML types of the plain values of the kind.
func (r Rule) tags() []string {
	switch r.Kind {
	case Version, Whole:
		return []string{"!!int"}
	case Truth:
		return []string{"!!bool"}
	case Money:
		return []string{"!!int", "!!float"}
	case Size, Duration:
		return []string{"!!str", "!!int"}
	case List, Names:
		return nil
	}
	return []string{"!!str"}
}

func (r Rule) wrongTag(n *yaml.Node) error {
	switch is := n.ShortTag(); {
	case r.takesList() && len(r.tags()) == 0:
		return errors.New("it is not a list")
	case is == "!!str":
		return errors.New("it is text: remove the quotes")
	case slices.Contains(r.tags(), "!!str"):
		return fmt.Errorf("YAML does not read %s as text: put it in quotes", Cut(n.Value))
	}
	if r.Kind == Truth {
		return errors.New("it is not true or false")
	}
	return errors.New("it is not a number of that kind")
}
