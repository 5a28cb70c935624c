package cli

import (
	"strings"
	"testing"
)

// TestPullSteps: of two flags that each say what to do, none is ignored.
func TestPullSteps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flags pullFlags
		want  string // in the error; "" for none
	}{
		{pullFlags{commit: true, open: true}, "--commit and --open are separate steps"},
		{pullFlags{commit: true, output: "body.md"}, "--commit and --output FILE"},
		{pullFlags{bundle: "t.belay", checks: true}, "--bundle FILE and --checks"},
		{pullFlags{open: true, watch: true}, "--open and --watch"},
		{pullFlags{commit: true, bundle: "t.belay"}, ""},
		{pullFlags{checks: true, watch: true}, ""},
		{pullFlags{output: "body.md"}, ""},
	} {
		c.flags.format = "markdown"
		err := c.flags.validate()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.flags, err, c.want)
		}
	}
}
