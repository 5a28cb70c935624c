package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// forgery has functions of the scripts: line appends an entry with a valid chain to the record,
// snap prints the ref of the before snapshot, reword makes a tag of a snapshot with another message
// and perhaps another tree.
const forgery = `set +e
f=.git/belay/tasks/t1.jsonl
line() { # TYPE DATA
	last=$(tail -n 1 $f)
	prev=$(printf %s "$last" | sed 's/.*"hash":"\([0-9a-f]*\)"}$/\1/')
	seq=$(($(wc -l < $f) + 1))
	time=$(printf %s "$last" | sed 's/^{"v":1,"seq":[0-9]*,"time":"\([^"]*\)".*/\1/')
	body="{\"v\":1,\"seq\":$seq,\"time\":\"$time\",\"task\":\"T1\",\"type\":\"$1\",\"data\":$2,\"prev\":\"$prev\""
	hash=$(printf %s "$body" | sha256sum | cut -c 1-64)
	printf '%s\n' "$body,\"hash\":\"$hash\"}" >> $f
}
data() { # of the last entry of a type
	grep "\"type\":\"$1\"" $f | tail -n 1 | sed 's/^.*"type":"[a-z]*","data":\(.*\),"prev":"[0-9a-f]*","hash":"[0-9a-f]*"}$/\1/'
}
head=$(tail -n 1 $f | sed 's/.*"hash":"\([0-9a-f]*\)"}$/\1/')
snap=$(git for-each-ref --format='%(refname)' refs/belay | head -n 1)
id=${snap#refs/belay/}
reword() { # SED-SCRIPT [TREE]
	tree=${2:-$(git rev-parse $snap^{tree})}
	git cat-file tag $snap | sed "s/^object .*/object $tree/; $1" | git hash-object -t tag -w --stdin
}
next=$(printf %s "$id" | cut -c 1-10)zzzzzzzzzzzzzzzz
other() { # the tree of the snapshot with a protected file as it is now
	blob=$(git hash-object -w protect.txt)
	export GIT_INDEX_FILE=.git/forge
	git read-tree $snap
	git update-index --add --cacheinfo 100644,$blob,tree/protect.txt
	git write-tree
	rm .git/forge; unset GIT_INDEX_FILE
}
`

// forged is a forgery of belay's data by an agent, beside work that is right or, with breaks, that
// breaks a rule. noticed is a text in the record about it; "" for a forgery that belay need not
// notice because nothing depends on it.
type forged struct {
	name, script string
	breaks       bool
	noticed      string
}

var forgeries = []forged{
	{name: "moves the before snapshot", breaks: true, noticed: "was moved or deleted",
		script: `t=$(other); git update-ref $snap $(reword "s/^Belay-Tree: .*/Belay-Tree: $(git rev-parse $t:tree)/" $t)`},
	{name: "moves it and collects garbage", breaks: true, noticed: "was moved or deleted",
		script: `t=$(other); git update-ref $snap $(reword "s/^Belay-Tree: .*/Belay-Tree: $(git rev-parse $t:tree)/" $t); rm -f .git/objects/pack/*.keep; git reflog expire --all --expire=now --expire-unreachable=now; git gc -q --prune=now`},
	{name: "makes the same words again", noticed: "was moved or deleted", script: `git update-ref $snap $(reword 's/^tagger .*/tagger x <x@x> 1 +0000/')`},
	{name: "deletes the refs", noticed: "was moved or deleted", script: `git for-each-ref --format='delete %(refname)' refs/belay refs/used-by-belay | git update-ref --stdin`},
	{name: "deletes the refs and collects garbage", noticed: "was moved or deleted",
		script: `rm -rf .git/refs/belay .git/refs/used-by-belay; rm -f .git/objects/pack/*.keep; git reflog expire --all --expire=now --expire-unreachable=now; git gc -q --prune=now`},
	{name: "packs a forged ref", breaks: true, noticed: "was moved or deleted",
		script: `t=$(other); git pack-refs --all --prune; c=$(reword "s/^Belay-Tree: .*/Belay-Tree: $(git rev-parse $t:tree)/" $t); sed -i "s#^[0-9a-f]* $snap\$#$c $snap#" .git/packed-refs`},
	{name: "makes it a symbolic ref", noticed: "was moved or deleted", script: `git symbolic-ref $snap refs/heads/main`},
	{name: "writes rubbish into the ref", noticed: "was moved or deleted", script: `echo rubbish > .git/$snap`},
	{name: "deletes the record", noticed: "its record was deleted", script: `rm $f`},
	{name: "deletes belay's tasks", noticed: "its record was deleted", script: `rm -rf .git/belay/tasks`},
	{name: "cuts the last entry", noticed: "its record was truncated", script: `sed -i '$d' $f`},
	{name: "cuts all but the first", noticed: "its record was truncated", script: `sed -i '2,$d' $f`},
	{name: "flips a byte", noticed: "its record was damaged", script: `sed -i '2s/"seq":2/"seq":3/' $f`},
	{name: "changes the first entry", noticed: "its record was", script: `sed -i '1s/protect.txt/nothing.txt/' $f`},
	{name: "writes it anew", breaks: true, noticed: "its record was changed from entry 1 on",
		script: `d=$(data task | sed 's/"protect.txt"/"nothing.txt"/'); rm $f; body='{"v":1,"seq":1,"time":"2026-01-01T00:00:00Z","task":"T1","type":"task","data":'$d',"prev":"0000000000000000000000000000000000000000000000000000000000000000"'; hash=$(printf %s "$body" | sha256sum | cut -c 1-64); printf '%s\n' "$body,\"hash\":\"$hash\"}" > $f`},
	{name: "puts a folder in its place", noticed: "its record was damaged", script: `rm $f; mkdir $f`},
	{name: "puts a link in its place", noticed: "its record was damaged", script: `mv $f ../elsewhere; ln -s "$PWD/../elsewhere" $f`},
	{name: "puts a pipe in its place", noticed: "its record was damaged", script: `rm $f; mkfifo $f`},
	{name: "appends rubbish", noticed: "its record was damaged", script: `echo '{"v":1}' >> $f`},
	{name: "widens its task", breaks: true, noticed: "its task was changed in the record", script: `line task "$(data task | sed 's/"protect.txt"/"nothing.txt"/')"`},
	{name: "closes its task", breaks: true, noticed: `an event of the kind "closed"`, script: `line event '{"event":{"kind":"closed"},"state":{"phase":"closed","seq":90,"outcome":"passed"}}'`},
	{name: "says that it was approved", breaks: true, noticed: `an event of the kind "decided"`,
		script: `line event '{"event":{"kind":"decided","decision":"approve"},"state":{"phase":"closed","seq":90,"outcome":"passed"}}'`},
	{name: "ends its attempt itself", breaks: true, noticed: `an event of the kind "attempted"`, script: `line event "$(data event | sed 's/"kind":"[a-z]*"/"kind":"attempted"/')"`},
	{name: "names a snapshot of its own", breaks: true, noticed: "an entry that names a snapshot",
		script: `t=$(other); c=$(reword "s/^Belay-Command: .*/Belay-Command: 2-attempt:end/; s/^Belay-Kind: .*/Belay-Kind: after/; s/^Belay-Journal: .*/Belay-Journal: $head/" $t); git update-ref refs/belay/$next $c; line taken "{\"command\":\"2-attempt:end\",\"snapshots\":[{\"id\":\"$next\",\"commit\":\"$c\",\"tree\":\"$t\"}]}"`},
	{name: "names a snapshot in a note", noticed: "a note with an invalid snapshot", script: `line note "{\"kind\":\"x\",\"text\":\"x\",\"snapshots\":[{\"id\":\"$next\",\"commit\":\"$(git rev-parse HEAD)\",\"tree\":\"$(git rev-parse HEAD)\"}]}"`},
	{name: "adds an entry nobody knows", noticed: "an entry of an unknown kind", script: `line verdict '{"pass":true}'`},

	// These change nothing that belay relies on, so they have no effect.
	{name: "forges what it left", breaks: true,
		script: `for n in 3 4 5 6; do git update-ref refs/belay/$(printf %s $next | cut -c 1-24)z$n $(reword "s/^Belay-Command: .*/Belay-Command: $n-capture/; s/^Belay-Kind: .*/Belay-Kind: after/; s/^Belay-Journal: .*/Belay-Journal: $head/; s/^Belay-Attempt: .*//"); done`},
	{name: "says that the checks did it", breaks: true,
		script: `t=$(other); git update-ref refs/belay/$next $(reword "s/^Belay-Tree: .*/Belay-Tree: $(git rev-parse $t:tree)/; s/^Belay-Command: .*/Belay-Command: 2-attempt:end/; s/^Belay-Kind: .*/Belay-Kind: after/; s/^Belay-Journal: .*/Belay-Journal: $head/" $t)`},
	{name: "says that it began later", breaks: true,
		script: `t=$(other); git update-ref refs/belay/$next $(reword "s/^Belay-Tree: .*/Belay-Tree: $(git rev-parse $t:tree)/; s/^Belay-Command: .*/Belay-Command: 2-attempt:start/; s/^Belay-Journal: .*/Belay-Journal: $head/" $t)`},
	{name: "makes an id at the end of time", breaks: true, script: `git update-ref refs/belay/7zzzzzzzzzzzzzzzzzzzzzzzzz $(reword 's/x/x/'); git update-ref refs/belay/zzzzzzzzzzzzzzzzzzzzzzzzzz $(reword 's/x/x/')`},
	{name: "adds a note", script: `line note '{"kind":"hello","text":"from the agent"}'`, breaks: true},
}

// TestCrashForged runs each forgery in a first attempt. None may make the attempt pass, the tree is
// rolled back to the true before snapshot, and the second attempt, which is right, passes.
func TestCrashForged(t *testing.T) {
	t.Parallel()
	w := scripted(t, crashScript)
	const right = "sh echo $BELAY_ATTEMPT >> ../ran\nwrite src/answer.txt 42\n"
	w.must(os.WriteFile(filepath.Join(w.up, "script"), []byte("== * ==\n"+right), 0o644))
	plain := w.another(t, folder(t))
	plain.succeed(runT1...)
	want := append(plain.state(), plain.ownFiles()...)
	all := forgeries
	if !crashAll() {
		all = every(forgeries, 4, 0)
	}
	y := newTally(t, len(all))
	each(t, all, func(dir string, m forged) {
		d := w.another(t, dir)
		first := right
		if m.breaks {
			first = "append protect.txt the agent was here\n" + right
		}
		d.must(os.WriteFile(filepath.Join(d.up, "forge.sh"), []byte(forgery+m.script+"\n"), 0o644))
		d.must(os.WriteFile(filepath.Join(d.up, "script"), []byte("== 1 ==\n"+first+"sh sh ../forge.sh >../forge.log 2>&1; true\n== * ==\n"+right), 0o644))
		got := d.belay("", runT1...)
		y.did(modeMisdeed)
		if got.code != 0 {
			log, _ := os.ReadFile(filepath.Join(d.up, "forge.log"))
			y.fault(m.name, otherwise, "it should continue: %s\n%s", got, log)
			return
		}
		var told struct {
			Data struct {
				Attempts []struct{ Then, Verdict string }
				Notes    []struct{ Kind, Text string }
			}
		}
		d.must(json.Unmarshal([]byte(d.belay("", "show", "T1", "--json").out), &told))
		shown := told.Data
		if len(shown.Attempts) != 2 || shown.Attempts[0].Then != "rollback" || shown.Attempts[0].Verdict != "fail" {
			log, _ := os.ReadFile(filepath.Join(d.up, "forge.log"))
			y.fault(m.name, otherwise, "attempts: %+v: %s\n%s", shown.Attempts, got, log)
		}
		said := ""
		for _, n := range shown.Notes {
			if n.Kind == "tampered" {
				said += n.Text
			}
		}
		if m.noticed == "" && said != "" || !strings.Contains(said, m.noticed) {
			y.fault(m.name, otherwise, "noticed %q, expected %q: %s", said, m.noticed, got)
		}
		if v := d.belay("", "log", "--verify", "T1"); v.code != 0 {
			y.fault(m.name, otherwise, "%s", v)
		}
		d.sh("git update-ref -d refs/belay/7zzzzzzzzzzzzzzzzzzzzzzzzz; git update-ref -d refs/belay/zzzzzzzzzzzzzzzzzzzzzzzzzz; rm -f .git/info/refs")
		d.settledBut(y, misdeed{name: m.name, script: m.script}, want)
	})
	y.sum("forged")
}

// TestCrashAnchor kills a run before every step that writes the anchor of its record outside the
// repository. The anchor is then behind the record and never ahead, so the run continues; and a
// record that is cut below it is rejected.
func TestCrashAnchor(t *testing.T) {
	t.Parallel()
	w := scripted(t, crashScript)
	want, points, _ := dry(t, w)
	var mine []trial
	for i, p := range points {
		if strings.Contains(p, "/anchors/") {
			mine = append(mine, trial{i + 1, modeKill})
		}
	}
	if len(mine) < 10 {
		t.Fatalf("only %d of %d steps write it", len(mine), len(points))
	}
	if !crashAll() {
		mine = append(mine[:4:4], mine[len(mine)/2], mine[len(mine)-1])
	}
	y := newTally(t, len(mine))
	each(t, mine, func(dir string, c trial) {
		d := w.another(t, dir)
		r := d.belay(d.crash(c), runT1...)
		at := d.where(c)
		y.did(c.mode)
		y.ended(at, c, r)
		if !strings.Contains(at, "/anchors/") {
			t.Logf("%s: the steps differ a little from run to run, this one is another", at)
		}
		if v := d.belay("", "log", "--verify", "T1"); v.code != 0 {
			y.fault(at, otherwise, "%s", v)
		}
		if !d.goOn(y, at, r) {
			return
		}
		d.settled(y, at, want)
		text, err := os.ReadFile(d.record())
		d.must(err)
		lines := bytes.SplitAfter(text, []byte("\n"))
		d.must(os.WriteFile(d.record(), bytes.Join(lines[:len(lines)-3], nil), 0o600)) // two entries, because the anchor may be one behind
		if v := d.belay("", "rollback", "T1", "--yes"); v.code != 2 || !strings.Contains(v.errs, "the record of T1 was truncated") {
			y.fault(at, otherwise, "%s", v)
		}
	})
	y.sum("anchor")
}
