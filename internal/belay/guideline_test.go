package belay

import "testing"

func TestHolding(t *testing.T) {
	list := append(BuiltIn(),
		Guideline{ID: "b", Enabled: true, Priority: 900, Agents: []string{"Claude"}},
		Guideline{ID: "a", Enabled: true, Priority: 900},
		Guideline{ID: "off", Priority: 999},
	)
	for _, tt := range []struct {
		action string
		agents []string
		want   string
	}{
		{"implement", []string{"implementer", "claude"}, "a b snapshot-protocol "},
		{"Fix", []string{"implementer"}, "a snapshot-protocol "},
		{"review", []string{"reviewer"}, "a spec-based-review "},
		{"review", []string{"implementer"}, "a "},
		{"", nil, "a "},
	} {
		got := ""
		for _, g := range GuidelinesFor(list, tt.action, tt.agents...) {
			got += g.ID + " "
		}
		if got != tt.want {
			t.Errorf("%s by %v: %q, want %q", tt.action, tt.agents, got, tt.want)
		}
	}
}
