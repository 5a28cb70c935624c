package review

import (
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		category Category
		answers  map[string]bool
		note     string
		want     string
		refused  bool
	}{
		"given":               {CrossScope, nil, "belongs to T9", "cross_scope: belongs to T9", false},
		"from before":         {"", map[string]bool{"pre_existing": true}, "x", "pre_existing_failure: x (pre_existing=yes)", false},
		"another task":        {"", map[string]bool{"pre_existing": false, "right_task": false}, "x", "wrong_context: x (pre_existing=no, right_task=no)", false},
		"out of scope":        {"", map[string]bool{"right_task": true, "in_scope": false}, "x", "cross_scope: x (right_task=yes, in_scope=no)", false},
		"the machine":         {"", map[string]bool{"environmental": true}, "x", "infra_environmental: x (environmental=yes)", false},
		"later":               {"", map[string]bool{"follow_up": true}, "x", "cross_scope: x (follow_up=yes)", false},
		"none of these":       {"", map[string]bool{"pre_existing": false, "right_task": true, "in_scope": true, "environmental": false, "follow_up": false}, "a  b\nc", "custom: a b c (pre_existing=no, right_task=yes, in_scope=yes, environmental=no, follow_up=no)", false},
		"custom, whatever":    {Custom, map[string]bool{"pre_existing": true}, "x", "custom: x (pre_existing=yes)", false},
		"no reason":           {CrossScope, nil, "  ", "", true},
		"nothing":             {"", nil, "x", "", true},
		"unknown":             {"because", nil, "x", "", true},
		"against the answers": {CrossScope, map[string]bool{"pre_existing": true}, "x", "", true},
		"custom needs a word": {Custom, nil, "", "", true},
	} {
		d, err := Decide(tt.category, tt.answers, tt.note)
		switch {
		case tt.refused && belay.CodeOf(err) != belay.CodeUsage:
			t.Errorf("%s: %v", name, err)
		case !tt.refused && (err != nil || d.String() != tt.want):
			t.Errorf("%s: %q, %v", name, d, err)
		}
		if tt.refused {
			continue
		}
		if again, ok := ParseDecision(d.String()); !ok || again.String() != d.String() || len(again.Answers) != len(tt.answers) {
			t.Errorf("%s: %q is read as %+v", name, d, again)
		}
	}
}

func TestReadOtherWords(t *testing.T) {
	t.Parallel()
	for _, other := range []string{"", "fine", "because: x", "custom: ", "custom:x"} {
		if d, ok := ParseDecision(other); ok {
			t.Errorf("%q is parsed as %+v", other, d)
		}
	}
	for _, bracket := range []string{"custom: it is so (see T9)", "custom: it is so (pre_existing=perhaps)", "custom: (pre_existing=yes)"} {
		if d, ok := ParseDecision(bracket); !ok || d.Answers != nil || "custom: "+d.Note != bracket {
			t.Errorf("%q: %+v %v", bracket, d, ok)
		}
	}
}
