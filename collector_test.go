package belay_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCollectorPort checks that the script which starts a collector tries another port when one is
// in use, and gives up after any other error.
func TestCollectorPort(t *testing.T) {
	t.Parallel()
	for says, ready := range map[string]bool{"listen tcp: bind: address already in use": true, "unknown exporter": false} {
		place := t.TempDir()
		fake := filepath.Join(place, "collector")
		text := "#!/bin/sh\ncd " + place + "\n[ -e first ] || { : > first; echo '" + says + "' >&2; exit 1; }\n" +
			"echo Everything is ready >&2\nexec sleep 600\n"
		if err := os.WriteFile(fake, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		run := exec.Command("sh", "-euc", `fail() { echo "failed: $*"; exit 0; }; . fleet/collector/start.sh; kill "$pid"; echo "at $port"`)
		run.Env = append(os.Environ(), "place="+place, "collector="+fake)
		out, err := run.Output()
		if got := strings.HasPrefix(string(out), "at "); err != nil || got != ready {
			t.Errorf("%s: %v, %s", says, err, out)
		}
	}
}
