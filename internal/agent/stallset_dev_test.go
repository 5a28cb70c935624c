package agent_test

import (
	"fmt"
	"strings"
)

// developmentScripts were used to develop the rules.
var developmentScripts = []scripted{
	{"tests after each edit, the same failure until the last", false, func(s *script) {
		for i := range 6 {
			s.edit("src/price.js", s.files["src/price.js"], fmt.Sprintf("return net * %d;\n", i))
			s.sh("npm test", 1, fmt.Sprintf("not ok 2 - a price has its tax\n  duration_ms: %d.3\n# fail 1", i))
		}
	}},
	{"generator run again, one more file each time", false, func(s *script) {
		for i := range 8 {
			s.shell("node scripts/split-next.js", 0, "moved 1 class", func() { s.set(fmt.Sprintf("src/part%d.js", i), "x") })
		}
	}},
	{"pages of numbers", false, func(s *script) {
		for i := range 7 {
			s.sh(fmt.Sprintf("sqlite3 shop.db 'select id from t limit 5 offset %d'", i*5), 0, fmt.Sprintf("%d\n%d\n%d", i*5, i*5+1, i*5+2))
		}
	}},
	{"waiting for a server, then work", false, func(s *script) {
		s.sh("npm run dev > dev.log 2>&1 &", 0, "[1] 4711")
		for range 8 {
			s.sh("sleep 2; curl -s localhost:3000/health", 7, "curl: (7) Failed to connect to localhost port 3000")
		}
		s.sh("sleep 2; curl -s localhost:3000/health", 0, "ok")
	}},
	{"installation with back-off that works at last", false, func(s *script) {
		for i := range 6 {
			s.sh(fmt.Sprintf("sleep %d && npm install", 1<<i), 1, fmt.Sprintf("npm error code ETIMEDOUT\nnpm error attempt %d failed", i+1))
		}
		s.sh("npm install", 0, "added 212 packages in 8s")
	}},
	{"job that runs long", false, func(s *script) {
		for range 25 {
			s.poll("build_1", "<status>running</status>")
		}
	}},
	{"benchmark again, no edits", false, func(s *script) {
		for i := range 8 {
			s.sh("node bench.js", 0, fmt.Sprintf("price x %d ops/sec ±%d.2%%", 120000+i*37, i))
		}
	}},
	{"pass ten times to be sure of a flake", false, func(s *script) {
		for i := range 5 {
			s.sh("npm test", 0, fmt.Sprintf("# pass 12\n# fail 0\n# duration_ms %d", 100+i*3))
		}
	}},
	{"status and diff after each edit", false, func(s *script) {
		for i := range 5 {
			s.write(fmt.Sprintf("src/n%d.js", i), "x")
			s.sh("git status --short | wc -l", 0, "3")
			s.sh("npx tsc --noEmit", 0, "")
		}
	}},
	{"sub-steps with a status file", false, func(s *script) {
		s.sh("make release &", 0, "[1] 991")
		for range 5 {
			s.sh("sleep 15", 0, "")
			s.read("status.json")
		}
	}},
	{"reading the same two files twice while thinking", false, func(s *script) {
		for range 2 {
			s.read("src/price.js")
			s.read("package.json")
		}
		s.edit("src/price.js", "+", "*")
		s.read("src/price.js")
	}},
	{"issues closed one by one", false, func(s *script) {
		for i := range 7 {
			s.sh(fmt.Sprintf("gh issue close %d", 100+i), 0, "✓ Closed issue")
		}
	}},
	{"rounds of a codemod with lint between", false, func(s *script) {
		for i := range 5 {
			s.shell("npx codemod next", 0, "1 file changed", func() { s.set("src/price.js", strings.Repeat("x", i)) })
			s.sh("npx eslint src", 0, "")
		}
	}},

	{"restart on another port", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh(fmt.Sprintf("PORT=%d node server.js > out.log 2>&1 & sleep 3; tail -2 out.log # try %d", 3000+i, i), 1,
				fmt.Sprintf("[%d] %d\nError: listen EADDRINUSE: address already in use :::%d", i, 40000+i*7, 3000+i))
		}
	}},
	{"kill, start, look: four calls", true, func(s *script) {
		s.stuck()
		for i := range 7 {
			s.sh("lsof -ti :3000", 0, fmt.Sprint(4000+i))
			s.sh(fmt.Sprintf("kill -9 %d", 4000+i), 0, "")
			s.sh("npm start > /dev/null 2>&1 &", 0, fmt.Sprintf("[1] %d", 4001+i))
			s.sh("curl -s -o /dev/null -w %{http_code} localhost:3000", 0, "500")
		}
	}},
	{"five reads in turn with a todo list that changes", true, func(s *script) {
		for i := range 4 {
			s.set(fmt.Sprintf("src/m%d.js", i), "m")
		}
		s.stuck()
		for i := range 6 {
			s.todo(fmt.Sprintf("understand it, round %d", i))
			for j := range 4 {
				s.read(fmt.Sprintf("src/m%d.js", j))
			}
			s.grep("price", "src/m0.js:1:price")
		}
	}},
	{"flip-flop of an edit, other failures", true, func(s *script) {
		s.stuck()
		for range 5 {
			s.edit("src/price.js", "+", "*")
			s.sh("npm test", 1, "not ok 1 - empty\n# fail 1")
			s.edit("src/price.js", "*", "+")
			s.sh("npm test", 1, "not ok 2 - tax\n# fail 1")
		}
	}},
	{"flip-flop of an edit, the same failure", true, func(s *script) {
		s.stuck()
		for range 5 {
			s.edit("src/price.js", "+", "*")
			s.sh("npm test", 1, "not ok 2 - tax\n# fail 1")
			s.edit("src/price.js", "*", "+")
			s.sh("npm test", 1, "not ok 2 - tax\n# fail 1")
		}
	}},
	{"an edit that fails, white space tried, and the file read between", true, func(s *script) {
		s.stuck()
		for i := range 9 {
			s.edit("src/price.js", "return  net"+strings.Repeat(" ", i)+"- TAX;", "x")
			s.read("src/price.js")
		}
	}},
	{"a registry that never answers", true, func(s *script) {
		s.stuck()
		for i := range 16 {
			s.sh(fmt.Sprintf("sleep %d; npm install left-pad", 2*i), 1, fmt.Sprintf("npm error code ECONNREFUSED 127.0.0.1:%d", 4873))
		}
	}},
	{"a job that ended is asked for again", true, func(s *script) {
		s.stuck()
		for range 9 {
			s.sh("gh run view 4711 --json status,conclusion", 0, `{"conclusion":"failure","status":"completed"}`)
		}
	}},
	{"failing tests with figures that differ", true, func(s *script) {
		s.stuck()
		for i := range 9 {
			s.sh("npm test", 1, fmt.Sprintf("not ok 2\n  heap 0x%xf0 used %d\n  expected: 12\n# fail 1", 4000+i, 88000+i*13))
		}
	}},
	{"six calls in another order each time", true, func(s *script) {
		s.stuck()
		for i := range 6 {
			for j := range 6 {
				s.sh(fmt.Sprintf("cat docs/%c.md", 'a'+(j*5+i)%6), 0, "a text")
			}
		}
	}},
	{"tests and an empty search", true, func(s *script) {
		s.stuck()
		for i := range 5 {
			s.sh("go test ./...", 1, fmt.Sprintf("--- FAIL: TestPrice (0.0%ds)\nFAIL\tshop\t0.0%ds", i, i+2))
			s.grep("TaxRate", "")
		}
	}},
}
