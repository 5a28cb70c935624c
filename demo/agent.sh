#!/bin/sh
# A scripted agent: wrong twice, then right. It reads its prompt as any agent would.
set -eu
prompt=$(cat)
dir=internal/belay
echo "agent: attempt $BELAY_ATTEMPT of $BELAY_TASK, $(printf %s "$prompt" | wc -l | tr -d ' ') lines of prompt"

write() { # write LIMIT: the function, right when a minute is 60 seconds
	cat > $dir/ago.go <<EOF
package belay

import (
	"fmt"
	"time"
)

// Ago says how long ago something was, in whole minutes, hours or days.
func Ago(d time.Duration) string {
	for _, u := range []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {$1, "minute"}} {
		switch n := int(d / u.size); {
		case n == 1:
			return "1 " + u.name + " ago"
		case n > 1:
			return fmt.Sprintf("%d %ss ago", n, u.name)
		}
	}
	return "just now"
}
EOF
	cat > $dir/ago_test.go <<EOF
package belay

import (
	"testing"
	"time"
)

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "just now", 59 * time.Second: "just now", 61 * time.Second: "1 minute ago",
		150 * time.Minute: "2 hours ago", 72 * time.Hour: "3 days ago",
	} {
		if got := Ago(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
EOF
}

case $BELAY_ATTEMPT in
1)
	echo "agent: the function is easy; and I will raise the Go version while I am here"
	write time.Minute
	echo '// raised by the agent' >> go.mod
	;;
2)
	case $prompt in *go.mod*) echo "agent: understood, go.mod is not mine to change" ;; esac
	write time.Second
	;;
*)
	case $prompt in *TestAgo*) echo "agent: a minute is not a second; fixing the limit" ;; esac
	write time.Minute
	;;
esac
