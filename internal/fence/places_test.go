package fence

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTemp: a temporary folder is open only if no path to keep is in it.
func TestTemp(t *testing.T) {
	const tmp = "/scratch/tmp"
	t.Setenv("TMPDIR", tmp)
	for name, c := range map[string]struct {
		keep []string
		open []string
		env  []string
	}{
		"elsewhere":      {[]string{"/home/a/repo", ""}, []string{"/dev/shm", tmp, "/tmp", "/var/tmp"}, nil},
		"in TMPDIR":      {[]string{"/home/a/repo", tmp + "/repo"}, []string{"/dev/shm", "/own"}, []string{"TMPDIR=/own"}},
		"in /var/tmp":    {[]string{"/var/tmp/a/repo"}, []string{"/dev/shm", "/own"}, []string{"TMPDIR=/own"}},
		"in /dev/shm":    {[]string{"/home/a/repo", "/dev/shm/belay-test-home"}, []string{tmp, "/tmp", "/var/tmp"}, nil},
		"in both":        {[]string{"/dev/shm/belay-test-repo", "/tmp/home"}, []string{"/own"}, []string{"TMPDIR=/own"}},
		"/dev/shm alone": {[]string{"/dev/shm"}, []string{tmp, "/tmp", "/var/tmp"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			rules, env := Temp("/own", c.keep...)
			var open []string
			for _, r := range rules {
				open = append(open, r.Path)
				if r.Kind != Write || r.Why == "" {
					t.Errorf("%+v", r)
				}
			}
			if d := cmp.Diff([][]string{c.open, c.env}, [][]string{open, env}); d != "" {
				t.Error(d)
			}
		})
	}
}
