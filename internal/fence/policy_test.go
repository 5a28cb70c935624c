package fence

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPolicyKeepsBytes: a path that is not UTF-8 survives the JSON of a policy.
func TestPolicyKeepsBytes(t *testing.T) {
	t.Parallel()
	want := Policy{Rules: []Rule{{Path: "/a\xff\n", Kind: Write, Why: "the tree"}, {Path: "/b", Kind: Closed, Prefix: true}},
		Hide: []string{"/home/\xfe/.ssh"}, Ports: []uint16{443}, Alone: true}
	text, err := json.Marshal(&want)
	if err != nil {
		t.Fatal(err)
	}
	var got Policy
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
