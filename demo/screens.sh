#!/bin/sh
# screens.sh BELAY FILE: writes the screens of a run, a gate, a summary and a status into FILE, as tmux shows them at 80 and
# at 120 columns (WIDTHS="40 300" for others): what a person sees, not what is printed.
set -eu
belay=$1 file=$(realpath "$2")
command -v tmux >/dev/null || { echo "screens: tmux is not installed" >&2; exit 2; }
place=$(mktemp -d)
trap 'tmux -L belay-screens kill-server 2>/dev/null || true; rm -rf "$place"' EXIT INT TERM
mkdir "$place/bin" "$place/home" "$place/calc"
cp "$belay" "$place/bin/belay"

# An agent that divides by three at first, and then by two.
cat >"$place/agent.sh" <<'AGENT'
#!/bin/sh
cat >/dev/null
echo "I read calc.go and change Half."
if [ "$BELAY_ATTEMPT" = 1 ]; then sed -i 's|return n$|return n / 3|' calc.go; else sed -i 's|return n / 3|return n / 2|' calc.go; fi
echo "Done: Half divides its argument."
AGENT
chmod +x "$place/agent.sh"

cd "$place/calc"
printf 'module calc\n\ngo 1.22\n' >go.mod
printf 'package calc\n\n// Half gives half of n.\nfunc Half(n int) int {\n\treturn n\n}\n' >calc.go
printf 'package calc\n\nimport "testing"\n\nfunc TestHalf(t *testing.T) {\n\tif got := Half(8); got != 4 {\n\t\tt.Errorf("Half(8) = %%d, want 4", got)\n\t}\n}\n' >calc_test.go
git init -q -b main
git add .
git -c user.name=A -c user.email=a@example.com commit -qm calc
cache=$(go env GOCACHE) path=$PATH
cd ..

screen() { tmux -L belay-screens capture-pane -p | sed -e 's/ *$//' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'; }
until_seen() {
	n=0
	until screen | grep -q "$1"; do
		n=$((n + 1))
		[ $n -lt 1200 ] || { echo "screens: \"$1\" does not come:" >&2; screen >&2; exit 1; }
		sleep 0.1
	done
}
shown() { printf '\n### %s\n\n```\n' "$1"; screen; printf '```\n'; }
type_line() { tmux -L belay-screens send-keys -l "$1"; tmux -L belay-screens send-keys Enter; }

{
	echo "# Screens"
	echo
	echo "A run with a wrong first attempt and no automatic retry, as tmux shows it (\`make screens\`)."
	for width in ${WIDTHS:-80 120}; do
		printf '\n## %s columns\n' $width
		rm -rf work
		cp -r calc work
		tmux -L belay-screens -f /dev/null new-session -d -x $width -y 60 -c "$place/work" \
			"env -i HOME=$place/home PATH=$place/bin:$path TERM=screen GOCACHE=$cache PS1='$ ' PAGER=cat sh"
		until_seen '^\$'
		type_line 'clear; belay run "fix Half so that its test passes" --files calc.go --retries 0 --test "go test ./..." -- ../agent.sh'
		until_seen 'decide:'
		shown "A run and its gate"
		tmux -L belay-screens send-keys v
		until_seen '+.*return n / 3'
		tmux -L belay-screens clear-history
		tmux -L belay-screens send-keys t
		until_seen 'belay: T1: . snapshots'
		shown "Another attempt, and the summary"
		type_line 'clear; belay status; belay diff'
		until_seen '+.*return n / 2'
		shown "Status and diff"
		tmux -L belay-screens kill-server
	done
} >screens.md
sed -i "s|$place|/tmp|g" screens.md
mv screens.md "$file"
