package config

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
)

// TestRead: for each rule, a text and its value as a flag and in a file; nil is an error.
func TestRead(t *testing.T) {
	t.Parallel()
	choice := Rule{Kind: Choice, Choices: []string{"auto", "repair"}}
	tests := []struct {
		rule       Rule
		text       string
		flag, file any
	}{
		{Rule{Kind: Version}, "1", 1, 1},
		{Rule{Kind: Version}, "2", nil, nil},
		{Rule{Kind: Whole, Least: 1}, "300", 300, 300},
		{Rule{Kind: Whole, Least: 1}, "0", nil, nil},
		{Rule{Kind: Whole}, `"3"`, nil, nil},
		{Rule{Kind: Money}, "2.50", 2.5, 2.5},
		{Rule{Kind: Money}, "-1", nil, nil},
		{Rule{Kind: Duration}, "1h30m", 90 * time.Minute, 90 * time.Minute},
		{Rule{Kind: Size, Least: 1}, "2KiB", int64(2048), int64(2048)},
		{Rule{Kind: Size, Least: 1}, "0", nil, nil},
		{Rule{Kind: Truth}, "true", true, true},
		{Rule{Kind: Truth}, "yes", nil, nil},
		{choice, "repair", "repair", "repair"},
		{choice, "other", nil, nil},
		{Rule{Kind: Variable}, "TEST_DATABASE", "TEST_DATABASE", "TEST_DATABASE"},
		{Rule{Kind: Variable}, "A-B", nil, nil},
		{Rule{Kind: Text}, "a b", "a b", "a b"},
		{Rule{Kind: Hours}, "22:00-07:00", "22:00-07:00", "22:00-07:00"},
		{Rule{Kind: Hours}, "22:00-07:00 Europe/Berlin", "22:00-07:00 Europe/Berlin", "22:00-07:00 Europe/Berlin"},
		{Rule{Kind: Hours}, "22-7", nil, nil},
		{Rule{Kind: Hours}, "24:00-07:00", nil, nil},
		{Rule{Kind: List}, "*.{go,md}, b", []string{"*.{go,md}", "b"}, nil},
		{Rule{Kind: List}, `["a", "b"]`, []string{"a", "b"}, []string{"a", "b"}},
		{Rule{Kind: Names}, `["A_*"]`, []string{"A_*"}, []string{"A_*"}},
		{Rule{Kind: Names}, `["A-B"]`, nil, nil},
		{Rule{Kind: Args}, "claude -p", []string{"claude", "-p"}, []string{"claude", "-p"}},
		{Rule{Kind: Args}, "a | b", nil, nil},
		{Rule{Kind: Shell}, "make test && echo ok", "make test && echo ok", "make test && echo ok"},
		{Rule{Kind: Shell}, `["a", "b c"]`, []string{"a", "b c"}, []string{"a", "b c"}},
	}
	for _, tt := range tests {
		flag, err := tt.rule.FromText(tt.text)
		if (err == nil) != (tt.flag != nil) || err == nil && !cmp.Equal(flag, tt.flag) {
			t.Errorf("%+v: the flag %q is %#v, %v", tt.rule, tt.text, flag, err)
		}
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(tt.text), &doc); err != nil && tt.file != nil {
			t.Fatal(err)
		} else if err != nil {
			continue
		}
		file, err := tt.rule.FromNode(doc.Content[0])
		if (err == nil) != (tt.file != nil) || err == nil && !cmp.Equal(file, tt.file) {
			t.Errorf("%+v: the file's %q is %#v, %v", tt.rule, tt.text, file, err)
		}
		if text, err := json.Marshal(tt.rule.Schema()); err != nil || !strings.Contains(string(text), "null") {
			t.Errorf("%+v: schema %s, %v", tt.rule, text, err)
		}
		if tt.rule.Says() == "" {
			t.Errorf("%+v says nothing of what it takes", tt.rule)
		}
	}
}
