package agent_test

import (
	"fmt"
	"strings"
)

// secondScripts were written after the rules and not looked at before the first run.
var secondScripts = []scripted{
	{"a build watched in its log", false, func(s *script) {
		s.sh("make dist > build.log 2>&1 &", 0, "[1] 20113")
		for i := range 9 {
			s.sh("tail -n 1 build.log", 0, fmt.Sprintf("[%d/420] CC src/obj.o", 13+i*41))
		}
		s.sh("tail -n 1 build.log", 0, "done")
	}},
	{"the same two failures while the cause is looked for", false, func(s *script) {
		for i := range 6 {
			s.edit("src/price.js", s.files["src/price.js"], fmt.Sprintf("return round(net * %d.0);\n", i))
			s.read("src/price.js")
			s.sh("npx jest", 1, fmt.Sprintf("FAIL test/price.test.js\n  ● tax\n  ● total\nTests: 2 failed, 9 passed\nTime: 1.%d s", i))
		}
	}},
	{"pages of an interface", false, func(s *script) {
		for i := range 8 {
			s.sh(fmt.Sprintf("gh api 'repos/o/shop/issues?page=%d' --jq '.[].number'", i+1), 0, fmt.Sprintf("%d\n%d", 100-i*2, 99-i*2))
		}
	}},
	{"a file read again after each of its edits", false, func(s *script) {
		for i := range 7 {
			s.edit("src/price.js", "TAX", fmt.Sprintf("TAX%d", i))
			s.read("src/price.js")
		}
	}},
	{"a database that comes up slowly", false, func(s *script) {
		s.sh("docker compose up -d db", 0, "Container shop-db-1  Started")
		for range 10 {
			s.sh("pg_isready -h localhost -p 5432", 2, "localhost:5432 - no response")
		}
		s.sh("pg_isready -h localhost -p 5432", 0, "localhost:5432 - accepting connections")
	}},
	{"containers that become healthy", false, func(s *script) {
		for i := range 8 {
			s.sh("sleep 5", 0, "")
			s.sh("docker compose ps", 0, fmt.Sprintf("NAME        STATUS\nshop-api-1  Up %d seconds (health: starting)", 5+i*5))
		}
	}},
	{"a clone that fails four times", false, func(s *script) {
		for i := range 4 {
			s.sh("git clone https://github.com/o/vendor.git third_party/vendor", 128,
				"Cloning into 'third_party/vendor'...\nfatal: unable to access: Could not resolve host: github.com")
			s.sh(fmt.Sprintf("sleep %d", 5<<i), 0, "")
		}
		s.shell("git clone https://github.com/o/vendor.git third_party/vendor", 0, "done", func() { s.set("third_party/x", "x") })
	}},
	{"migrations one by one", false, func(s *script) {
		for i := range 6 {
			s.sh("npm run migrate:up", 0, fmt.Sprintf("> knex migrate:up\nBatch %d run: 202411%02d_%s.js", i+4, i+3, []string{"rates", "users", "carts", "index", "tax", "drop"}[i]))
		}
	}},
	{"tests first, five times", false, func(s *script) {
		for i := range 5 {
			s.write(fmt.Sprintf("test/t%d.test.js", i), "expect")
			s.sh("npm test", 1, "# fail 1")
			s.write(fmt.Sprintf("src/f%d.js", i), "x")
			s.sh("npm test", 0, "# fail 0")
		}
	}},
	{"a flaky test hunted", false, func(s *script) {
		for i := range 9 {
			bad := i%4 == 2
			s.sh("go test -count=1 -run TestOrders ./store", map[bool]int{true: 1}[bad],
				map[bool]string{true: "--- FAIL: TestOrders\n    store_test.go:88: got 3 orders, want 4", false: fmt.Sprintf("ok  \tshop/store\t0.3%ds", i)}[bad])
		}
	}},
	{"one error after another of a compiler", false, func(s *script) {
		for i := range 6 {
			s.sh("cargo check 2>&1 | tail -n 4", 101, fmt.Sprintf("error[E0308]: mismatched types\n  --> src/lib.rs:%d:9\nerror: could not compile `shop`", 40+i*7))
			s.edit("src/price.js", s.files["src/price.js"], fmt.Sprint("fix ", i))
		}
	}},
	{"files formatted one at a time", false, func(s *script) {
		for i := range 7 {
			path := fmt.Sprintf("src/view%d.js", i)
			s.shell("npx prettier --write "+path, 0, path+" 21ms", func() { s.set(path, "formatted") })
		}
	}},
	{"looking around twice before starting", false, func(s *script) {
		s.set("README.md", "shop")
		for range 2 {
			s.sh("ls -la", 0, "README.md\npackage.json\nsrc")
			s.read("README.md")
			s.read("src/price.js")
			s.sh("git log --oneline -5", 0, "ab12 start")
		}
		s.todo("start")
		s.edit("src/price.js", "+", "*")
		s.sh("git status --short", 0, " M src/price.js")
	}},
	{"a bisection", false, func(s *script) {
		for i := range 6 {
			s.sh("npm test", i%2, map[int]string{0: "# fail 0", 1: "# fail 1"}[i%2])
			verdict := []string{"good", "bad"}[i%2]
			s.shell("git bisect "+verdict, 0, fmt.Sprintf("Bisecting: %d revisions left to test after this", 64>>i), func() { s.set("src/price.js", fmt.Sprint(i)) })
		}
	}},
	{"a rebase with a conflict in each commit", false, func(s *script) {
		for i := range 5 {
			s.read("src/price.js")
			s.edit("src/price.js", s.files["src/price.js"], fmt.Sprintf("merged %d", i))
			s.sh("git add src/price.js", 0, "")
			s.shell("GIT_EDITOR=true git rebase --continue", 1, "CONFLICT (content): Merge conflict in src/price.js", func() { s.set("src/price.js", fmt.Sprintf("<<<<<<< %d", i)) })
		}
	}},
	{"a workflow awaited", false, func(s *script) {
		for range 24 {
			s.sh("sleep 30 && gh run view 8812 --json status -q .status", 0, "in_progress")
		}
		s.sh("gh run view 8812 --json status -q .status", 0, "completed")
	}},
	{"a deployment asked after with a script of the project", false, func(s *script) {
		s.sh("./scripts/deploy staging", 0, "deployment 771 queued")
		for range 7 {
			s.sh("./scripts/deploy-status 771", 0, "deploying")
		}
		s.sh("./scripts/deploy-status 771", 0, "live")
	}},
	{"a training that gets better", false, func(s *script) {
		for i := range 9 {
			s.sh("grep loss runs/latest.txt | tail -n 1", 0, fmt.Sprintf("step %d loss 0.%d", i*100, 913-i*31))
		}
	}},
	{"a wizard clicked through", false, func(s *script) {
		names := map[string]string{"claude": "mcp__browser__browser_click", "gemini": "browser_click", "opencode": "browser_click", "pi": "browser_click", "qwen": "browser_click"}
		for i := range 6 {
			s.tool(names, fields{"element": "Next", "ref": "e12"}, fmt.Sprintf("Page: Step %d of 6", i+1), false, nil)
		}
	}},
	{"a leak measured", false, func(s *script) {
		for i := range 8 {
			s.sh("node --expose-gc leak.js", 0, fmt.Sprintf("heapUsed after 1000 requests: %d.%d MB", 41+i, (i*7)%10))
		}
	}},
	{"a name looked for in many spellings", false, func(s *script) {
		for _, name := range []string{"taxRate", "tax_rate", "TaxRate", "TAX_RATE", "vatRate", "vat_rate", "VAT"} {
			s.grep(name, "")
		}
	}},
	{"snapshots renewed one at a time", false, func(s *script) {
		for i := range 6 {
			s.shell(fmt.Sprintf("npx jest -u -t 'view %d'", i), 0, "1 snapshot updated.\nTests: 1 passed", func() { s.set("snap", fmt.Sprint(i)) })
		}
	}},
	{"archives loaded one by one", false, func(s *script) {
		for i := range 7 {
			s.sh(fmt.Sprintf("curl -sfLO https://data.example.org/part-%02d.csv.gz", i), 0, "")
		}
	}},
	{"files moved, and built each time", false, func(s *script) {
		for i := range 6 {
			s.shell(fmt.Sprintf("git mv src/a%d.go internal/a%d.go", i, i), 0, "", func() { s.set(fmt.Sprintf("internal/a%d.go", i), "x") })
			s.sh("go build ./...", 0, "")
		}
	}},
	{"a lock of the package manager", false, func(s *script) {
		for range 5 {
			s.sh("sudo apt-get install -y libpq-dev", 100, "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1811 (unattended-upgr)")
			s.sh("sleep 10", 0, "")
		}
		s.sh("sudo apt-get install -y libpq-dev", 0, "Setting up libpq-dev")
	}},
	{"a service that limits the rate", false, func(s *script) {
		for range 6 {
			s.sh("curl -s -w '%{http_code}' https://api.example.org/v1/rates", 0, `{"error":"Too Many Requests"}429`)
			s.sh("sleep 30", 0, "")
		}
		s.sh("curl -s -w '%{http_code}' https://api.example.org/v1/rates", 0, `{"de":19}200`)
	}},
	{"two ways tried by turns, twice", false, func(s *script) {
		for range 2 {
			s.edit("src/price.js", "+", "*")
			s.sh("npm test", 1, "not ok 2\n# fail 1")
			s.edit("src/price.js", "*", "+")
			s.sh("npm test", 1, "not ok 3\n# fail 1")
		}
		s.write("src/price.js", "another way")
		s.sh("npm test", 0, "# fail 0")
	}},
	{"a generator and the same number of failures", false, func(s *script) {
		for i := range 5 {
			s.shell("make generate", 0, "protoc: ok", func() { s.set("gen/api.go", fmt.Sprint(i)) })
			s.sh("make test", 2, fmt.Sprintf("--- FAIL: TestCase%d\nFAIL", i))
		}
	}},
	{"a server restarted after each edit", false, func(s *script) {
		for i := range 6 {
			s.edit("src/price.js", s.files["src/price.js"], fmt.Sprintf("app.get('/p%d')", i))
			s.sh(fmt.Sprintf("kill %d; node src/price.js & sleep 1", 9000+i), 0, fmt.Sprintf("[1] %d", 9001+i))
			s.sh("curl -s localhost:8080/price", 0, `{"error":"internal"}`)
		}
	}},
	{"the tests of each package", false, func(s *script) {
		for _, p := range []string{"api", "web", "core", "cli", "db", "docs", "auth"} {
			s.sh("cd packages/"+p+" && npm test", 0, "# pass 4\n# fail 0")
		}
	}},

	{"the same failing tests, shortened", true, func(s *script) {
		s.edit("src/price.js", "+", "*")
		s.stuck()
		for i := range 10 {
			s.sh("npm test 2>&1 | tail -20", 1, fmt.Sprintf("not ok 2 - a price has its tax\n  duration_ms: %d.%d\n# fail 1\n# duration_ms %d", i+3, i*17, 300+i*11))
		}
	}},
	{"read, fail to edit, search, test", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.read("src/price.js")
			s.edit("src/price.js", "return net - TAX;", "return net * TAX;")
			s.grep("TAX", "src/price.js:1: return net + TAX;")
			s.sh("npm test", 1, fmt.Sprintf("not ok 2\n  duration_ms: 0.%d\n# fail 1", 100+i))
		}
	}},
	{"five calls in turn, with a list of things to do", true, func(s *script) {
		s.set("src/a.js", "a")
		s.set("src/b.js", "b")
		s.stuck()
		for i := range 8 {
			s.todo(fmt.Sprintf("Find the bug (%d)", i))
			s.read("src/a.js")
			s.read("src/b.js")
			s.sh("node -e 'require(\"./src/a\")'", 1, fmt.Sprintf("Error: boom\n    at Object.<anonymous> (src/a.js:3)\n(node:%d) Warning", 31000+i*3))
			s.sh("git diff --stat", 0, "")
			s.sh("cat package.json | head -40", 0, "{}")
		}
	}},
	{"six packages read over and over", true, func(s *script) {
		for _, p := range []string{"api", "web", "core", "cli", "db", "auth"} {
			s.set("packages/"+p+"/index.js", p)
		}
		s.stuck()
		for range 6 {
			for _, p := range []string{"api", "web", "core", "cli", "db", "auth"} {
				s.read("packages/" + p + "/index.js")
			}
		}
	}},
	{"two edits that fail by turns", true, func(s *script) {
		s.stuck()
		for range 8 {
			s.edit("src/price.js", "const TAX = 0.19", "const TAX = 0.2")
			s.read("src/price.js")
			s.edit("src/price.js", "let TAX = 0.19", "let TAX = 0.2")
		}
	}},
	{"a server restarted, which answers 500", true, func(s *script) {
		s.stuck()
		for i := range 9 {
			s.sh(fmt.Sprintf("kill %d", 5120+i*9), 0, "")
			s.sh(fmt.Sprintf("PORT=%d node server.js > /tmp/s.log 2>&1 &", 8080+i), 0, fmt.Sprintf("[%d] %d", i+1, 5129+i*9))
			s.sh("sleep 2", 0, "")
			s.sh(fmt.Sprintf("curl -s -i localhost:%d/price", 8080+i), 0, fmt.Sprintf("HTTP/1.1 500 Internal Server Error\nDate: Tue, 24 Nov 2026 04:3%d:11 GMT\n\n{\"error\":\"internal\"}", i))
		}
	}},
	{"a port that stays in use", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("lsof -i :3000", 0, fmt.Sprintf("COMMAND PID USER\nnode %d root TCP *:3000 (LISTEN)", 700+i))
			s.sh("fuser -k 3000/tcp", 1, fmt.Sprintf("Could not kill process %d: Operation not permitted", 700+i))
			s.sh("npm run dev", 1, fmt.Sprintf("Error: listen EADDRINUSE: address already in use :::3000\n    at Server.setupListenHandle\n  pid: %d", 6000+i*5))
		}
	}},
	{"dependencies that cannot be resolved", true, func(s *script) {
		s.stuck()
		for i := range 9 {
			s.sh("npm install", 1, fmt.Sprintf("npm error code ERESOLVE\nnpm error unable to resolve dependency tree\nnpm error A complete log of this run can be found in: /root/.npm/_logs/2026-11-24T04_4%d_12_88%dZ-debug-0.log", i, i))
		}
	}},
	{"a network that is not there", true, func(s *script) {
		s.stuck()
		for i := range 18 {
			s.sh(fmt.Sprintf("sleep %d; pip install requests", 3*i), 1, fmt.Sprintf("WARNING: Retrying (Retry(total=%d)) after connection broken by 'NewConnectionError: [Errno 101] Network is unreachable'\nERROR: No matching distribution found for requests", 4))
		}
	}},
	{"a push that is rejected", true, func(s *script) {
		s.stuck()
		for range 7 {
			s.sh("git push origin main", 1, " ! [rejected] main -> main (non-fast-forward)\nerror: failed to push some refs")
			s.sh("git pull --rebase origin main", 128, "error: cannot pull with rebase: You have unstaged changes.")
			s.sh("git status --short", 0, " M src/price.js")
		}
	}},
	{"three ways in turn, none works", true, func(s *script) {
		s.stuck()
		for i := range 18 {
			s.write("src/price.js", []string{"Math.round(net)", "Number(net.toFixed(2))", "net | 0"}[i%3])
			s.sh("npx vitest run", 1, fmt.Sprintf(" FAIL  test/price.test.js > tax\n Test Files  1 failed (1)\n   Duration  %dms", 412+i*3))
		}
	}},
	{"a folder it may not write", true, func(s *script) {
		s.stuck()
		for range 7 {
			s.sh("mkdir -p /opt/shop/cache", 1, "mkdir: cannot create directory '/opt/shop': Permission denied")
			s.sh("ls -ld /opt", 0, "drwxr-xr-x 2 root root 4096 Nov  1 10:00 /opt")
		}
	}},
	{"a file that is nowhere", true, func(s *script) {
		s.stuck()
		for range 6 {
			s.read("src/config.js")
			s.read("config.js")
			s.read("lib/config.js")
			s.sh("find . -name config.js -not -path './node_modules/*'", 0, "")
		}
	}},
	{"an undefined name, looked at in any order", true, func(s *script) {
		s.stuck()
		for i := range 15 {
			switch (i * 2) % 3 {
			case 0:
				s.sh("go build ./...", 1, "./price.go:7:9: undefined: TaxRate")
			case 1:
				s.read("src/price.js")
			default:
				s.grep("TaxRate", "")
			}
			if i%5 == 4 {
				s.sh("go vet ./...", 1, "vet: ./price.go:7:9: undefined: TaxRate")
			}
		}
	}},
	{"a test that times out", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("npx jest test/cart.test.js", 1, fmt.Sprintf("  ● cart › loads\n    thrown: \"Exceeded timeout of 5000 ms for a test.\"\nTests: 1 failed, 3 passed, 4 total\nTime: %d.%d s, estimated %d s\nRan all test suites matching /test\\/cart.test.js/i.", 6+i%3, i*13, 7+i%2))
			s.read("src/price.js")
		}
	}},
	{"tests side by side, in any order", true, func(s *script) {
		s.stuck()
		for i := range 9 {
			lines := []string{"tests/test_a.py::test_one PASSED", "tests/test_b.py::test_two FAILED", "tests/test_c.py::test_three PASSED"}
			lines[i%3], lines[0] = lines[0], lines[i%3]
			s.sh("pytest -n 3", 1, strings.Join(lines, "\n")+fmt.Sprintf("\n=== 1 failed, 2 passed in %d.%02ds ===", 1+i%2, i*9))
		}
	}},
	{"a container whose port is taken", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("docker compose up -d db", 1, fmt.Sprintf("Error response from daemon: driver failed programming external connectivity on endpoint shop-db-1 (%064x): Bind for 0.0.0.0:5432 failed: port is already allocated", 7919*(i+3)*1000003))
			s.sh("docker compose down", 0, "Container shop-db-1  Removed")
		}
	}},
	{"a commit that a hook rejects", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("git add -A", 0, "")
			s.sh(fmt.Sprintf("git commit -m 'fix the price' # attempt %d", i+1), 1, fmt.Sprintf("eslint: src/price.js 1:1 error no-undef\nhusky - pre-commit script failed (code 1) after %dms", 900+i*21))
		}
	}},
	{"a page that never shows its button", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("npx playwright test e2e/buy.spec.ts", 1, fmt.Sprintf("  1) [chromium] › e2e/buy.spec.ts:12:5 › buy (%d.%ds)\n    TimeoutError: locator.click: Timeout 30000ms exceeded.\n    attachment: test-results/buy-%08x/trace.zip\n  1 failed", 30+i%2, i, 0x7f3a11*(i+1)))
			s.sh("ls e2e", 0, "buy.spec.ts")
		}
	}},
	{"a panic, in another thread each time", true, func(s *script) {
		s.stuck()
		for i := range 7 {
			s.sh("cargo test price", 101, fmt.Sprintf("thread 'price::tax' (%d) panicked at src/lib.rs:41:9\ntest result: FAILED. 3 passed; 1 failed; finished in 0.0%ds", 88123+i*2, i))
			s.read("src/lib.rs")
			s.sh("cargo tree -i serde", 0, "serde v1.0.200")
		}
	}},
	{"a job that has failed is asked for", true, func(s *script) {
		s.stuck()
		for range 12 {
			s.poll("bash_2", "<status>failed</status>\n<exit_code>1</exit_code>\n<stderr>make: *** [dist] Error 1</stderr>")
		}
	}},
	{"a workflow that cannot be run again", true, func(s *script) {
		s.stuck()
		for range 9 {
			s.sh("gh run rerun 8812 --failed", 1, "run 8812 cannot be rerun; its workflow file may be broken")
			s.sh("gh run view 8812", 0, "X main ci · 8812\nconclusion: failure\nTriggered via push about 2 hours ago")
		}
	}},
	{"a script with a comment that counts", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh(fmt.Sprintf("python3 repro.py # try %d", i+1), 1, "Traceback (most recent call last):\n  File \"repro.py\", line 4\nValueError: bad rate")
		}
	}},
	{"an announcement before the tests", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh(fmt.Sprintf("echo \"=== attempt %d ===\" && npm test", i+1), 1, fmt.Sprintf("=== attempt %d ===\nnot ok 2\n# fail 1\n# duration_ms %d", i+1, 100+i))
		}
	}},
	{"specs in random order", true, func(s *script) {
		s.stuck()
		for i := range 9 {
			s.sh("bundle exec rspec", 1, fmt.Sprintf("Randomized with seed %d\n.F..\nFailures:\n  1) Price has its tax\n     expected: 12\n          got: 10.2\nFinished in 0.0%d seconds (files took 1.%d seconds to load)\n4 examples, 1 failure", 4000+i*977, 100+i, i))
		}
	}},
	{"a build of a daemon", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("./gradlew assemble", 1, fmt.Sprintf("> Task :compileJava FAILED\nPrice.java:9: error: cannot find symbol\nBUILD FAILED in %ds\nDaemon will be stopped (pid %d)", 2+i, 61000+i*31))
			s.sh("cat build.gradle", 0, "plugins { id 'java' }")
			s.grep("TaxRate", "")
		}
	}},
	{"looking around for ever", true, func(s *script) {
		s.stuck()
		for i := range 24 {
			switch (i * i) % 4 {
			case 0:
				s.sh("ls -la", 0, "total 8\n-rw-r--r-- 1 u u 3 Nov 24 04:30 package.json\ndrwxr-xr-x 2 u u 60 Nov 24 04:30 src")
			default:
				s.sh("cat package.json", 0, "{}")
			}
			s.sh("pwd", 0, "/work/shop")
		}
	}},
	{"nobody listens", true, func(s *script) {
		s.stuck()
		for i := range 16 {
			s.sh("curl -sS http://localhost:4000/health", 7, "curl: (7) Failed to connect to localhost port 4000 after 0 ms: Couldn't connect to server")
			s.sh("ps aux | grep node", 0, fmt.Sprintf("u  %d  0.0  0.1 grep node", 40100+i*4))
		}
	}},
	{"a replacement that fits nothing", true, func(s *script) {
		s.stuck()
		for i := range 7 {
			s.sh("sed -i 's/net - TAX/net * TAX/' src/price.js", 0, "")
			s.sh("grep -n TAX src/price.js", 0, "1:return net + TAX;")
			s.sh("node --test", 1, fmt.Sprintf("✖ a price has its tax (%d.2ms)\nℹ fail 1\nℹ duration_ms %d.8", i, 60+i))
		}
	}},
	{"an edit that a linter rejects, taken back", true, func(s *script) {
		s.stuck()
		for i := range 7 {
			s.edit("src/price.js", "+", "-")
			s.sh("npm run lint", 1, fmt.Sprintf("src/price.js 1:12 error no-minus\n✖ 1 problem (%dms)", 300+i))
			s.shell("git checkout src/price.js", 0, "Updated 1 path from the index", func() { s.set("src/price.js", "return net + TAX;\n") })
		}
	}},
}
