package config

import (
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/belay-dev/belay/internal/strictyaml"
)

// fromNode reads a value of the file. The kinds of YAML are kept apart: a number is not
// a text, and a word that YAML takes for a truth value is neither.
func (k key) fromNode(n *yaml.Node) (any, error) {
	if n.Kind == yaml.SequenceNode {
		if !k.takesList() {
			return nil, errors.New("it is a list")
		}
		items := make([]string, len(n.Content))
		for i, item := range n.Content {
			if item.Kind != yaml.ScalarNode || item.ShortTag() != "!!str" {
				return nil, fmt.Errorf("item %d is not text: put it in quotes", i+1)
			}
			items[i] = item.Value
		}
		return k.checkList(items)
	}
	if n.Kind != yaml.ScalarNode {
		return nil, errors.New("it holds keys")
	}
	if !slices.Contains(k.tags(), n.ShortTag()) {
		return nil, k.wrongTag(n)
	}
	switch k.kind {
	case kindShell: // a line that looks like a JSON array is a line
		return n.Value, shellLine(n.Value)
	case kindArgs:
		return k.commandWords(n.Value)
	}
	return k.fromText(n.Value)
}

func (k key) takesList() bool { return k.kind >= kindList }

// tags names the YAML types of the plain values that the kind takes.
func (k key) tags() []string {
	switch k.kind {
	case kindVersion, kindWhole:
		return []string{"!!int"}
	case kindTruth:
		return []string{"!!bool"}
	case kindMoney:
		return []string{"!!int", "!!float"}
	case kindSize, kindDuration:
		return []string{"!!str", "!!int"}
	case kindList, kindNames:
		return nil
	}
	return []string{"!!str"}
}

func (k key) wrongTag(n *yaml.Node) error {
	switch is := n.ShortTag(); {
	case k.takesList() && len(k.tags()) == 0:
		return errors.New("it is not a list")
	case is == "!!str":
		return errors.New("it is text: leave the quotes out")
	case slices.Contains(k.tags(), "!!str"):
		return fmt.Errorf("YAML takes %s for something else than text: put it in quotes", strictyaml.Cut(n.Value))
	}
	if k.kind == kindTruth {
		return errors.New("it is not true or false")
	}
	return errors.New("it is not a number of that kind")
}
