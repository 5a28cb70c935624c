package agent_test

import (
	"fmt"
	"strings"
)

// fourthScripts were written after the rules had been changed because of the third set.
var fourthScripts = []scripted{
	{"a queue that drains", false, func(s *script) {
		for _, n := range []int{12, 12, 12, 12, 7, 3, 0} {
			s.sh("redis-cli llen jobs", 0, fmt.Sprintf("(integer) %d", n))
		}
	}},
	{"a debugger in another terminal", false, func(s *script) {
		for i := range 8 {
			s.sh("tmux send-keys -t dbg n Enter", 0, "")
			s.sh("tmux capture-pane -p -t dbg | tail -n 2", 0, fmt.Sprintf("> price.py(%d)tax()\n(Pdb)", 10+i))
		}
	}},
	{"keys pressed in a list", false, func(s *script) {
		names := map[string]string{"claude": "mcp__browser__browser_press_key", "gemini": "browser_press_key", "opencode": "browser_press_key", "pi": "browser_press_key", "qwen": "browser_press_key"}
		for i := range 6 {
			s.tool(names, fields{"key": "ArrowDown"}, fmt.Sprintf("Pressed ArrowDown\n- option %d [selected]", i), false, nil)
		}
	}},
	{"everything checked twice at the end", false, func(s *script) {
		s.edit("src/price.js", "+", "*")
		for range 2 {
			s.sh("npx eslint src", 0, "")
			s.sh("npm test", 0, "# fail 0")
			s.sh("npm run build", 0, "built in 1.2s")
			s.sh("git status --short", 0, " M src/price.js")
		}
	}},
	{"the same check between many reads", false, func(s *script) {
		for i := range 7 {
			path := fmt.Sprintf("lib/m%d.js", i)
			s.set(path, fmt.Sprint("module ", i))
			s.read(path)
			s.sh("git status --short", 0, "")
		}
	}},
	{"a scan that reports its progress", false, func(s *script) {
		s.sh("trivy fs . > scan.txt 2>&1 &", 0, "[1] 3001")
		for i := range 6 {
			s.sh("tail -n 1 scan.txt", 0, fmt.Sprintf("scanned %d packages", 120+i*88))
		}
	}},
	{"a slow virtual machine", false, func(s *script) {
		s.sh("vagrant up &", 0, "[1] 661")
		for range 8 {
			s.sh("vagrant status --machine-readable | grep state,", 0, "default,state,starting")
		}
		s.sh("vagrant status --machine-readable | grep state,", 0, "default,state,running")
	}},
	{"an image that is pulled", false, func(s *script) {
		for i := range 5 {
			s.sh("docker pull registry.local/base:3", 1, "Error response from daemon: Get https://registry.local/v2/: net/http: TLS handshake timeout")
			s.sh(fmt.Sprintf("sleep %d", 4<<i), 0, "")
		}
		s.sh("docker pull registry.local/base:3", 0, "Status: Downloaded newer image")
	}},
	{"a name changed in every file", false, func(s *script) {
		for i := range 7 {
			path := fmt.Sprintf("src/u%d.js", i)
			s.set(path, "oldName()")
			s.grep("oldName", fmt.Sprintf("%d files", 7-i))
			s.edit(path, "oldName", "newName")
		}
	}},
	{"the same file edited in ten places", false, func(s *script) {
		s.set("src/long.js", strings.Repeat("var x\n", 10))
		for range 10 {
			s.edit("src/long.js", "var x", "let x")
		}
	}},
	{"values of a parameter", false, func(s *script) {
		for i := range 6 {
			s.edit("package.json", s.files["package.json"], fmt.Sprintf(`{"rate": 0.%d}`, i))
			s.sh("python train.py --config package.json", 0, fmt.Sprintf("accuracy 0.%d", 81+(i*7)%5))
		}
	}},
	{"an advisory database that is busy", false, func(s *script) {
		for range 4 {
			s.sh("npm audit --json | jq .error.code", 1, `"E503"`+"\nservice unavailable")
			s.sh("sleep 8", 0, "")
		}
		s.sh("npm audit --json | jq .error.code", 0, "null")
	}},
	{"a changelog from many commits", false, func(s *script) {
		for i := range 8 {
			s.sh(fmt.Sprintf("git show --stat --format=%%s HEAD~%d", i), 0, fmt.Sprintf("commit about %c\n 1 file changed", 'a'+i))
		}
	}},
	{"a proof by cases", false, func(s *script) {
		for i := range 6 {
			s.edit("src/price.js", s.files["src/price.js"], fmt.Sprintf("case %d => simp", i))
			s.sh("lake build", 1, fmt.Sprintf("error: unsolved goals case %d", i+1))
			s.read("src/price.js")
		}
	}},
	{"a cache warmed until it hits", false, func(s *script) {
		for i := range 6 {
			s.sh("curl -sI https://cdn.example.org/app.js | grep -i x-cache", 0, map[bool]string{true: "x-cache: MISS", false: "x-cache: HIT"}[i < 5])
		}
	}},
	{"instances that start", false, func(s *script) {
		for range 9 {
			s.sh("aws ec2 describe-instances --query 'Reservations[].Instances[].State.Name' --output text", 0, "pending")
		}
		s.sh("aws ec2 describe-instances --query 'Reservations[].Instances[].State.Name' --output text", 0, "running")
	}},
	{"exercises solved in turn", false, func(s *script) {
		for i := range 6 {
			s.sh("rustlings run next", 1, fmt.Sprintf("error[E0%d]: exercise %d does not compile", 300+i, i))
			s.write(fmt.Sprintf("exercises/e%d.rs", i), "solved")
		}
	}},
	{"fixtures recorded again", false, func(s *script) {
		for i := range 5 {
			s.shell("make record", 0, "recorded", func() { s.set("fixtures/a.json", fmt.Sprint(i)) })
			s.sh("make verify", 1, "fixture differs")
		}
	}},
	{"the first lines of many tables", false, func(s *script) {
		for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
			s.sh("head -n 1 data/"+name+".csv", 0, "id,name,price")
		}
	}},
	{"a device that is flashed", false, func(s *script) {
		for i := range 5 {
			s.sh("esptool.py read_mac", 2, "A fatal error occurred: Failed to connect to ESP32: Timed out waiting for packet header")
			if i == 1 {
				s.sh("ls /dev/ttyUSB*", 0, "/dev/ttyUSB0")
				s.sh("stty -F /dev/ttyUSB0 115200", 0, "")
			} else if i == 3 {
				s.sh("esptool.py --before usb_reset read_mac", 0, "MAC: 24:6f")
				return
			}
		}
	}},
	{"labels put on issues", false, func(s *script) {
		for i := range 6 {
			s.sh(fmt.Sprintf("gh issue edit %d --add-label bug", 31+i*2), 0, "")
			s.sh("gh issue list --label triage --json number -q length", 0, fmt.Sprint(6-i))
		}
	}},
	{"screens compared", false, func(s *script) {
		for i := range 5 {
			s.write("src/style.css", fmt.Sprintf("p { margin: %dpx }", i))
			s.sh("npx playwright test visual.spec.ts", 1, fmt.Sprintf("%d pixels (ratio 0.0%d of all image pixels) are different", 9100-i*813, 9-i))
		}
	}},
	{"a failing test looked at with other flags", false, func(s *script) {
		for _, flag := range []string{"", " -v", " --tb=long", " --tb=short -s", " --pdb-trace", " -l"} {
			s.sh("pytest tests/test_a.py"+flag, 1, "E assert 1 == 2"+strings.Repeat("\nmore", len(flag)))
		}
	}},
	{"documents asked for one by one", false, func(s *script) {
		names := map[string]string{"claude": "WebFetch", "gemini": "web_fetch", "opencode": "webfetch", "qwen": "web_fetch"}
		for i := range 6 {
			s.tool(names, fields{"url": fmt.Sprintf("https://docs.example.org/p%d", i), "prompt": "the options"}, "404 Not Found", true, nil)
		}
	}},
	{"stashes taken off", false, func(s *script) {
		for i := range 4 {
			s.shell("git stash pop", 0, fmt.Sprintf("Dropped refs/stash@{0} (%040x)", 991*(i+1)), func() { s.set(fmt.Sprint("stash", i), "x") })
		}
	}},
	{"words of a dictionary", false, func(s *script) {
		for i := range 6 {
			s.shell("python add_word.py", 0, "added 1 word", func() { s.set("words.txt", strings.Repeat("w\n", i+1)) })
		}
	}},
	{"the same failure in other files", false, func(s *script) {
		for i := range 6 {
			path := fmt.Sprintf("src/v%d.py", i)
			s.set(path, "import old")
			s.sh("mypy src | head -n 1", 1, path+":1: error: Cannot find implementation or library stub for module named \"old\"")
			s.edit(path, "old", "new")
		}
	}},
	{"a tunnel that comes up", false, func(s *script) {
		s.sh("ssh -fN -L 5433:db:5432 jump", 0, "")
		for range 6 {
			s.sh("sleep 1; nc -z localhost 5433; echo $?", 0, "1")
		}
		s.sh("sleep 1; nc -z localhost 5433; echo $?", 0, "0")
	}},
	{"pieces of a log around a time", false, func(s *script) {
		for i := range 8 {
			s.sh(fmt.Sprintf("grep '04:%02d' app.txt | head -n 3", 10+i), 0, fmt.Sprintf("04:%02d GET /price 200", 10+i))
		}
	}},
	{"a plan kept while nothing changes for a while", false, func(s *script) {
		for i := range 5 {
			s.todo(fmt.Sprintf("step %d", i))
			s.grep([]string{"net", "gross", "TAX", "rate", "round"}[i], "src/price.js:1")
			s.todo(fmt.Sprintf("step %d done", i))
		}
	}},

	{"build, look, build", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("make", 2, fmt.Sprintf("cc -c price.c\nprice.c:9:3: error: unknown type name 'rate_t'\nmake: *** [price.o] Error 1\nreal 0m0.%ds", 31+i))
			s.sh("sed -n 1,20p price.c", 0, "int main")
		}
	}},
	{"the same question to a search engine", true, func(s *script) {
		names := map[string]string{"claude": "WebSearch", "codex": "web_search", "gemini": "google_web_search", "opencode": "websearch", "pi": "web_search", "qwen": "web_search"}
		s.stuck()
		for range 7 {
			s.tool(names, fields{"query": "shop tax rate library"}, "no results", false, nil)
		}
	}},
	{"an edit that is rejected as read-only", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh(fmt.Sprintf("sed -i s/+/*/ src/price.js # attempt %d", i), 4, "sed: couldn't open temporary file src/sedQx: Permission denied")
			s.sh("ls -l src/price.js", 0, "-r--r--r-- 1 root root 18 Nov 24 04:30 src/price.js")
			s.sh("id -u", 0, "1000")
		}
	}},
	{"a chmod that changes nothing", true, func(s *script) {
		s.stuck()
		for range 8 {
			s.sh("chmod +x ./run.sh && ./run.sh", 126, fmt.Sprintf("bash: line %d: ./run.sh: /bin/zsh: bad interpreter: No such file or directory", 1))
			s.sh("head -n 1 run.sh", 0, "#!/bin/zsh")
		}
	}},
	{"a test of an order that changes", true, func(s *script) {
		s.stuck()
		for i := range 9 {
			s.sh("go test -shuffle=on ./...", 1, fmt.Sprintf("-test.shuffle %d\n--- FAIL: TestTax (0.0%ds)\n    price_test.go:9: got 10.2, want 12\nFAIL\nFAIL\tshop\t0.0%ds", 1764000000000000000+i*7717, i, i+2))
		}
	}},
	{"six calls around a container", true, func(s *script) {
		s.stuck()
		for i := range 7 {
			id := fmt.Sprintf("%012x", 0xabcdef123456+i*99991)
			s.sh("docker ps -aq --filter name=web", 0, id)
			s.sh("docker rm -f web", 0, "web")
			s.sh("docker build -q -t web .", 0, "sha256:"+strings.Repeat("ab12", 16))
			s.sh("docker run -d --name web -p 8080:80 web", 0, strings.Repeat(id, 5)+id[:4])
			s.sh("sleep 3", 0, "")
			s.sh("docker logs web", 0, fmt.Sprintf("2026/11/24 04:4%d:11 [emerg] 1#1: host not found in upstream \"api\"", i))
		}
	}},
	{"a flag that does not exist, and its help", true, func(s *script) {
		s.stuck()
		for range 7 {
			s.sh("terraform apply --auto", 1, "Error: Failed to parse command-line flags\nflag provided but not defined: -auto")
			s.sh("terraform apply --help | head -20", 0, "Usage: terraform [global options] apply")
		}
	}},
	{"an import moved to and fro", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.edit("src/price.js", "return", "import 'a'; return")
			s.sh("npm run lint", 1, fmt.Sprintf("1:1 error import/first (%d ms)", 200+i))
			s.edit("src/price.js", "import 'a'; return", "return")
			s.sh("npm test", 1, fmt.Sprintf("a is not defined\n# fail 1\n# duration_ms %d.3", 80+i))
		}
	}},
	{"files read again in growing despair", true, func(s *script) {
		for i := range 5 {
			s.set(fmt.Sprintf("src/q%d.js", i), fmt.Sprint("q", i))
		}
		for i := range 5 {
			s.read(fmt.Sprintf("src/q%d.js", i))
		}
		s.stuck()
		for i := range 25 {
			s.read(fmt.Sprintf("src/q%d.js", (i*3+i/5)%5))
		}
	}},
	{"an endpoint that is forbidden", true, func(s *script) {
		s.stuck()
		for i := range 16 {
			s.sh("curl -s -H \"Authorization: Bearer $TOKEN\" https://api.example.org/v1/rates", 0, fmt.Sprintf(`{"error":"forbidden","request_id":"req_%x","time":%d}`, 88111+i*37, 1764000000+i*9))
		}
	}},
	{"a formatter and a check that disagree", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.shell("black src", 0, "reformatted src/price.py\nAll done! 1 file reformatted.", func() { s.set("src/price.py", "black") })
			s.shell("isort src", 0, "Fixing src/price.py", func() { s.set("src/price.py", "isort") })
			s.sh("black --check src", 1, fmt.Sprintf("would reformat src/price.py\n1 file would be reformatted in 0.%ds", i))
		}
	}},
	{"a review bot that is asked again", true, func(s *script) {
		s.stuck()
		for range 14 {
			s.sh("gh pr checks 12", 1, "lint\tfail\t12s\thttps://github.com/o/shop/actions\ntest\tpass\t40s")
			s.sh("gh run rerun 99 --failed", 1, "run 99 cannot be rerun; created over a month ago")
		}
	}},
	{"a version that does not exist", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("cargo add serde@9", 101, "error: the crate `serde` could not be found at that version")
			s.sh("cargo search serde --limit 1", 0, "serde = \"1.0.200\"")
			if i%3 == 2 {
				s.sh("date", 0, fmt.Sprintf("Tue Nov 24 04:%d:01 UTC 2026", 10+i))
			}
		}
	}},
	{"edits of a file that is not the one", true, func(s *script) {
		s.stuck()
		for i := range 10 {
			s.edit("src/pricing.js", []string{"return net", "TAX", "export", "gross", "function"}[i%5], "x")
			s.sh("ls src", 0, "price.js")
		}
	}},
	{"a stack trace with addresses", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("go run ./cmd/shop", 2, fmt.Sprintf("panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x%x]\ngoroutine 1 [running]:\nmain.main()\n\t./main.go:9 +0x%x", 0x49a1b0+i*16, 0x1d+i))
		}
	}},
	{"a report written, and the same red tests", true, func(s *script) {
		s.stuck()
		for i := range 9 {
			s.shell("mvn -q test", 1, fmt.Sprintf("[ERROR] PriceTest.tax:12 expected: <12> but was: <10.2>\n[INFO] Total time:  %d.%d s\n[INFO] Finished at: 2026-11-24T04:%d:00Z", 4+i%2, i, 10+i), func() {
				s.set("surefire-reports/TEST.xml", fmt.Sprint("time ", i))
			})
			s.grep("tax", "src/price.js:1")
		}
	}},
	{"a comment with the date in a file", true, func(s *script) {
		s.stuck()
		for i := range 9 {
			s.write("src/price.js", fmt.Sprintf("// changed at 04:%d\nreturn net - TAX;\n", 10+i))
			s.sh("npm test", 1, "not ok 2\n# fail 1")
		}
	}},
	{"an environment activated again", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("source .venv/bin/activate && python manage.py check", 1, fmt.Sprintf("django.core.exceptions.ImproperlyConfigured: Set the SECRET_KEY environment variable\n(pid=%d)", 6600+i*3))
			s.sh("env | grep SECRET_KEY", 1, "")
		}
	}},
	{"a port scanned for a server that is not there", true, func(s *script) {
		s.stuck()
		for i := range 18 {
			s.sh(fmt.Sprintf("curl -s -m 2 http://127.0.0.1:%d/ || echo refused", []int{3000, 5173, 8080}[i%3]), 0, "refused")
			s.sh("ss -ltnp", 0, fmt.Sprintf("State Recv-Q Send-Q\nLISTEN 0 %d", 128))
		}
	}},
	{"a merge begun and given up", true, func(s *script) {
		s.stuck()
		for range 7 {
			s.shell("git merge topic", 1, "CONFLICT (content): Merge conflict in src/price.js", func() { s.set("src/price.js", "<<<<<<<") })
			s.sh("git diff --name-only --diff-filter=U", 0, "src/price.js")
			s.shell("git merge --abort", 0, "", func() { s.set("src/price.js", "return net + TAX;\n") })
		}
	}},
	{"a script of an earlier session", true, func(s *script) {
		s.stuck()
		for i := range 9 {
			s.sh("bash /tmp/fix.sh", 1, fmt.Sprintf("/tmp/fix.sh: line 3: %d Killed                  node gen.js", 44100+i*7))
			s.sh("cat /tmp/fix.sh", 0, "node gen.js")
		}
	}},
	{"a language server that times out", true, func(s *script) {
		s.stuck()
		for i := range 9 {
			s.sh("npx tsc --noEmit --incremental false", 2, fmt.Sprintf("src/price.js(1,8): error TS2304: Cannot find name 'TAX'.\nFound 1 error in src/price.js:1\nDone in %d.%02ds.", 3+i%2, i*7))
			s.read("src/price.js")
			s.grep("TAX", "src/price.js:1")
			s.todo(fmt.Sprintf("fix TS2304 (%d)", i))
		}
	}},
	{"a name server that fails", true, func(s *script) {
		s.stuck()
		for i := range 18 {
			s.sh(fmt.Sprintf("sleep %d && go mod download", 1+i), 1, "go: example.org/tax@v1.2.0: Get \"https://proxy.golang.org\": dial tcp: lookup proxy.golang.org: i/o timeout")
		}
	}},
	{"a search in changing order", true, func(s *script) {
		s.stuck()
		for i := range 20 {
			pick := []string{"rates", "taxes", "vat"}[(i*i+i/3)%3]
			s.grep(pick, "")
			if i%4 == 3 {
				s.sh("ls -R src", 0, "src:\nprice.js")
			}
		}
	}},
	{"a process that will not die", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("pgrep -f 'vite'", 0, fmt.Sprint(3100+i))
			s.sh(fmt.Sprintf("kill -9 %d && sleep 1", 3100+i), 0, "")
			s.sh("npx vite --port 5173 --strictPort", 1, "Error: Port 5173 is already in use")
		}
	}},
	{"an assertion about the clock", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("npx jest clock", 1, fmt.Sprintf("Expected: \"2026-11-24T00:00:00.000Z\"\nReceived: \"2026-11-24T04:%d:33.%dZ\"\nTests: 1 failed, 1 total\nTime: 0.%d s", 10+i, 100+i, 600+i*3))
			s.sh("cat test/clock.test.js", 0, "expect(now())")
		}
	}},
	{"a patch that does not apply", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh(fmt.Sprintf("git apply /tmp/fix-%d.patch", 4000+i), 1, "error: patch failed: src/price.js:1\nerror: src/price.js: patch does not apply")
			s.sh("git diff --stat", 0, "")
		}
	}},
	{"a question of a program that nobody answers", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("npx create-shop app", 1, fmt.Sprintf("? Which template? (Use arrow keys)\nError: User force closed the prompt with SIGINT\nelapsed %d.%ds", 30, i))
			s.sh("ls", 0, "package.json\nsrc")
		}
	}},
	{"a lint that is silenced and restored", true, func(s *script) {
		s.stuck()
		for range 6 {
			s.write("src/price.js", "// eslint-disable\nreturn net + TAX;\n")
			s.sh("npm test", 1, "not ok 2\n# fail 1")
			s.write("src/price.js", "return net + TAX;\n")
			s.sh("npm run lint", 1, "1:1 error no-tax")
			s.sh("git diff --stat", 0, "")
		}
	}},
	{"a version set up and down", true, func(s *script) {
		s.stuck()
		for range 6 {
			s.edit("package.json", "{}", `{"react": 19}`)
			s.sh("npm install", 1, "npm error code ERESOLVE")
			s.edit("package.json", `{"react": 19}`, "{}")
			s.sh("npm run build", 1, "Module not found: react")
			s.sh("npm ls react", 1, "(empty)")
		}
	}},
}
