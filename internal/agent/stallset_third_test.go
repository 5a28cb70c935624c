package agent_test

import (
	"fmt"
	"strings"
)

// thirdScripts were written after the rules had been changed because of the second set.
var thirdScripts = []scripted{
	{"a job of the project's own queue", false, func(s *script) {
		s.sh("./bin/jobctl submit export", 0, "job 17 SUBMITTED")
		for range 6 {
			s.sh("./bin/jobctl show 17", 0, "id=17 state=SUBMITTED")
			s.sh("sleep 20", 0, "")
		}
		s.sh("./bin/jobctl show 17", 0, "id=17 state=DONE")
	}},
	{"somebody else's merge awaited", false, func(s *script) {
		for range 7 {
			s.sh("sleep 60; git fetch -q && git log --oneline -1 origin/main", 0, "ab12cd3 release 4")
		}
		s.sh("git fetch -q && git log --oneline -1 origin/main", 0, "77aa001 the merge")
	}},
	{"settings that the tree does not hold", false, func(s *script) {
		for i := range 5 {
			s.write("build/settings.json", fmt.Sprintf(`{"pool": %d}`, i))
			s.sh("npm run e2e", 1, "Error: pool exhausted\n1 failed")
		}
	}},
	{"a linter while something formats beside it", false, func(s *script) {
		for i := range 6 {
			s.set("src/price.js", fmt.Sprint("formatted ", i))
			s.sh("npx eslint src", 0, "")
		}
	}},
	{"a lock of the build folder", false, func(s *script) {
		for range 2 {
			s.sh("cargo build", 1, "Blocking waiting for file lock on build directory")
			s.sh("sleep 15", 0, "")
		}
		s.sh("cargo build", 0, "Finished dev in 12.1s")
	}},
	{"a rollout", false, func(s *script) {
		s.sh("kubectl apply -f k8s/", 0, "deployment.apps/api configured")
		for range 9 {
			s.sh("kubectl get pods -l app=api", 0, "NAME    READY  STATUS\napi-1   0/1    ContainerCreating")
		}
		s.sh("kubectl get pods -l app=api", 0, "NAME    READY  STATUS\napi-1   1/1    Running")
	}},
	{"a long file in parts", false, func(s *script) {
		for i := range 9 {
			s.read("src/price.js", 1+i*200)
		}
	}},
	{"many files, one import each", false, func(s *script) {
		for i := range 8 {
			path := fmt.Sprintf("src/page%d.js", i)
			s.set(path, "import a from 'a'\n")
			s.read(path)
			s.edit(path, "import a from 'a'\n", "import { a } from 'a'\n")
		}
		s.sh("npm test", 0, "# fail 0")
	}},
	{"a wrong edit, the file read, a right edit, many times", false, func(s *script) {
		for i := range 5 {
			s.edit("src/price.js", "does not stand there", "x")
			s.read("src/price.js")
			s.edit("src/price.js", s.files["src/price.js"], fmt.Sprintf("line %d", i))
		}
	}},
	{"the number of warnings goes down", false, func(s *script) {
		for i := range 6 {
			s.sh("npx tsc --noEmit | wc -l", 0, fmt.Sprint(31-i*5))
			s.edit("src/price.js", s.files["src/price.js"], fmt.Sprint("typed ", i))
		}
	}},
	{"a service that warms up", false, func(s *script) {
		s.sh("docker run -d --name es -p 9200:9200 elasticsearch", 0, strings.Repeat("9f3c", 16))
		for i := range 11 {
			s.sh("curl -s localhost:9200/_cluster/health || echo down", 0, map[bool]string{true: "down", false: `{"status":"red"}`}[i < 7])
			s.sh("sleep 3", 0, "")
		}
		s.sh("curl -s localhost:9200/_cluster/health", 0, `{"status":"green"}`)
	}},
	{"a registry that answers at the eighth time", false, func(s *script) {
		for i := range 8 {
			s.sh(fmt.Sprintf("npm ci # retry %d", i), 1, "npm error code ECONNRESET\nnpm error network aborted")
		}
		s.sh("npm ci", 0, "added 900 packages")
	}},
	{"a soak test", false, func(s *script) {
		for i := range 7 {
			s.sh("k6 run load.js", 0, fmt.Sprintf("http_req_duration avg=%d.2ms p(95)=%d.9ms\nhttp_reqs %d", 18+i, 40+i, 90120+i*313))
		}
	}},
	{"status, diff and commit, over and over", false, func(s *script) {
		for i := range 6 {
			s.write(fmt.Sprintf("docs/p%d.md", i), "text")
			s.sh("git add -A && git commit -qm 'docs: another page'", 0, "")
			s.sh("git status --short", 0, "")
		}
	}},
	{"passing tests between commits of a series", false, func(s *script) {
		for i := range 5 {
			s.shell(fmt.Sprintf("git checkout -q series~%d", 4-i), 0, "", func() { s.set("src/price.js", fmt.Sprint("series ", i)) })
			s.sh("go test ./...", 0, "ok  \tshop\t0.2s")
		}
	}},
	{"a crash that is looked at from all sides", false, func(s *script) {
		s.sh("./shop", 139, "Segmentation fault")
		s.sh("gdb -batch -ex bt ./shop core", 0, "#0 price")
		s.sh("./shop", 139, "Segmentation fault")
		s.sh("valgrind ./shop", 1, "==811== Invalid read of size 8")
		s.sh("gdb -batch -ex 'info locals' ./shop core", 0, "net = 0")
		s.edit("src/price.js", "+", "*")
		s.sh("./shop", 0, "12")
	}},
	{"one query after another", false, func(s *script) {
		for i, c := range []string{"users", "carts", "rates", "items", "orders", "taxes"} {
			s.sh("psql -Atc 'select count(*) from "+c+"'", 0, fmt.Sprint(i/3))
		}
	}},
	{"questions to people by turns", false, func(s *script) {
		for i := range 5 {
			s.sh(fmt.Sprintf("gh pr comment %d --body rebased", 40+i), 0, "https://github.com/o/shop/pull/40#issuecomment")
			s.sh(fmt.Sprintf("gh pr merge %d --auto", 40+i), 0, "")
		}
	}},
	{"a test that is red, then its fix undone, then another fix", false, func(s *script) {
		for i := range 4 {
			s.edit("src/price.js", "+", fmt.Sprintf("+ %d +", i))
			s.sh("npm test", 1, "not ok 2\n# fail 1")
			s.shell("git checkout src/price.js", 0, "Updated 1 path from the index", func() { s.set("src/price.js", "return net + TAX;\n") })
		}
		s.edit("src/price.js", "+", "*")
		s.sh("npm test", 0, "# fail 0")
	}},
	{"a loop of the same command with other environments", false, func(s *script) {
		for _, v := range []string{"18", "20", "22", "23", "24"} {
			s.sh("nvm exec "+v+" npm test", 0, "# pass 9\n# fail 0")
		}
	}},
	{"a build whose steps are cached", false, func(s *script) {
		for i := range 5 {
			s.edit("src/price.js", s.files["src/price.js"], fmt.Sprintf("RUN step %d", i))
			s.sh("docker build -q .", 1, "ERROR: failed to solve: process \"/bin/sh -c make\" did not complete successfully: exit code: 2")
		}
	}},
	{"notes while reading", false, func(s *script) {
		for i := range 6 {
			s.set(fmt.Sprintf("src/r%d.js", i), fmt.Sprint("r", i))
			s.todo(fmt.Sprintf("read r%d", i))
			s.sh("echo next", 0, "next")
			s.read(fmt.Sprintf("src/r%d.js", i))
		}
	}},
	{"background output that grows", false, func(s *script) {
		out := ""
		for i := range 8 {
			out += fmt.Sprintf("compiled module %d\n", i)
			s.poll("bash_9", out)
		}
	}},
	{"an upload in parts", false, func(s *script) {
		for i := range 6 {
			s.sh(fmt.Sprintf("aws s3 cp dist/part%d s3://shop/", i), 0, "")
		}
	}},
	{"code generated from a schema that is being written", false, func(s *script) {
		for i := range 5 {
			s.edit("package.json", s.files["package.json"], fmt.Sprintf("{\"v\": %d}", i))
			s.shell("npm run codegen", 0, "✔ Generate outputs", func() { s.set("src/gen.js", fmt.Sprint(i)) })
			s.sh("npx tsc --noEmit", 2, "src/gen.js(3,1): error TS2322")
		}
	}},
	{"the same question after each of several merges", false, func(s *script) {
		for i := range 5 {
			s.shell(fmt.Sprintf("git merge -q topic%d", i), 0, "Auto-merging src/price.js", func() { s.set("src/price.js", fmt.Sprint("merged ", i)) })
			s.sh("git diff --check", 0, "")
			s.sh("make check", 0, "all tests passed, 0 failed")
		}
	}},
	{"a form filled in", false, func(s *script) {
		names := map[string]string{"claude": "mcp__browser__browser_type", "gemini": "browser_type", "opencode": "browser_type", "pi": "browser_type", "qwen": "browser_type"}
		for _, field := range []string{"name", "street", "town", "country", "mail"} {
			s.tool(names, fields{"element": field, "text": "x"}, "ok", false, nil)
		}
	}},
	{"an old value looked for through the history", false, func(s *script) {
		for i := range 8 {
			s.sh(fmt.Sprintf("git show HEAD~%d:src/price.js | grep -n TAX", i), 1, "")
		}
	}},
	{"a mail server that greylists", false, func(s *script) {
		for i := range 5 {
			s.sh("./send-test-mail", 75, "451 4.7.1 Greylisted, please try again later (connection timed out)")
			s.sh(fmt.Sprintf("sleep %d", 30*(i+1)), 0, "")
		}
		s.sh("./send-test-mail", 0, "250 queued")
	}},
	{"two tests by turns while the code changes", false, func(s *script) {
		for i := range 6 {
			s.edit("src/price.js", s.files["src/price.js"], fmt.Sprintf("variant %d", i))
			s.sh("npx vitest run test/a.test.js", i%2, map[int]string{0: "Tests 1 passed, 0 failed", 1: "Tests 1 failed"}[i%2])
			s.sh("npx vitest run test/b.test.js", 1-i%2, map[int]string{1: "Tests 1 passed, 0 failed", 0: "Tests 1 failed"}[i%2])
		}
	}},

	{"the same tests under two names", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("pytest tests/test_price.py", 1, fmt.Sprintf("E   assert 10.2 == 12\n1 failed, 3 passed in 0.%ds", 21+i))
			s.sh("python -m pytest tests/test_price.py -x", 1, fmt.Sprintf("E   assert 10.2 == 12\n1 failed, 1 passed in 0.%ds", 19+i))
		}
	}},
	{"other ends of the same output", true, func(s *script) {
		s.stuck()
		for i := range 12 {
			n := []int{20, 30, 50, 10}[i%4]
			s.sh(fmt.Sprintf("npm test 2>&1 | tail -%d", n), 1, fmt.Sprintf("%snot ok 2\n# fail 1\n# duration_ms %d", strings.Repeat("ok\n", n), 200+i))
		}
	}},
	{"edits that fail, each guessed anew", true, func(s *script) {
		s.stuck()
		for i := range 12 {
			s.edit("src/price.js", fmt.Sprintf("return net * (1 + TAX%s);", strings.Repeat("_", i)), "x")
			s.read("src/price.js")
		}
	}},
	{"a comment that says which try it is", true, func(s *script) {
		s.stuck()
		for i := range 10 {
			s.write("src/price.js", fmt.Sprintf("// try %d\nreturn net - TAX;\n", i+1))
			s.sh("npm test", 1, "not ok 2\n# fail 1")
		}
	}},
	{"tests that leave a report in the tree", true, func(s *script) {
		s.stuck()
		for i := range 10 {
			s.shell("npx jest --ci", 1, fmt.Sprintf("Tests: 1 failed, 3 passed\nTime: 1.%d s", i), func() { s.set("junit.xml", fmt.Sprintf("time=%d", i)) })
		}
	}},
	{"a wheel that cannot be built", true, func(s *script) {
		s.stuck()
		for i := range 9 {
			s.sh("pip install psycopg2", 1, fmt.Sprintf("  creating /tmp/pip-install-%05x_q/psycopg2_%032x\nError: pg_config executable not found.", 70000+i*331, 48271*(i+7)*1009))
		}
	}},
	{"install, import, install, import", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("pip install -q requests", 0, "")
			s.sh("python -c 'import requests'", 1, fmt.Sprintf("Traceback (most recent call last):\nModuleNotFoundError: No module named 'requests'"))
			s.sh("which python", 0, "/usr/bin/python")
			s.sh(fmt.Sprintf("echo 'attempt %d'", i), 0, fmt.Sprintf("attempt %d", i))
		}
	}},
	{"a migration that fails half way", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("npx prisma migrate deploy", 1, fmt.Sprintf("Error: P3009 migrate found failed migrations\nThe `20241101_tax` migration started at 2026-11-24 04:%02d:11.123 UTC failed", 10+i))
			s.sh("npx prisma migrate resolve --rolled-back 20241101_tax", 1, "Error: P3011")
		}
	}},
	{"a server that starts and dies, four calls", true, func(s *script) {
		s.stuck()
		for i := range 9 {
			s.sh("pkill -f 'node server' || true", 0, "")
			s.sh(fmt.Sprintf("node server.js > /tmp/server-%d.log 2>&1 & echo $!", 17000+i), 0, fmt.Sprint(51210+i*17))
			s.sh("sleep 3 && curl -s localhost:3000", 7, "curl: (7) Failed to connect to localhost port 3000")
			s.sh(fmt.Sprintf("cat /tmp/server-%d.log", 17000+i), 0, "Error: Cannot find module 'express'")
		}
	}},
	{"a build that cannot find a header, six calls", true, func(s *script) {
		s.stuck()
		for i := range 7 {
			s.sh("cmake -S . -B build", 0, fmt.Sprintf("-- Configuring done (0.%ds)\n-- Generating done (0.0s)", i))
			s.sh("cmake --build build", 2, "fatal error: pq.h: No such file or directory")
			s.sh("find / -name pq.h", 0, "")
			s.sh("pkg-config --cflags libpq", 1, "Package libpq was not found")
			s.read("CMakeLists.txt")
			s.sh("ls /usr/include | head", 0, "stdio.h")
		}
	}},
	{"the login that does not come", true, func(s *script) {
		s.stuck()
		for range 9 {
			s.sh("gh auth status", 1, "You are not logged into any GitHub hosts.")
			s.sh("gh pr create --fill", 4, "To get started with GitHub CLI, please run: gh auth login")
		}
	}},
	{"a submodule that is forbidden", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("git submodule update --init", 1, "git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.")
			s.sh(fmt.Sprintf("ssh -T git@github.com # try %d", i), 255, "git@github.com: Permission denied (publickey).")
		}
	}},
	{"a host that does not resolve", true, func(s *script) {
		s.stuck()
		for i := range 20 {
			s.sh(fmt.Sprintf("timeout %d git fetch origin", 10+5*i), 128, "fatal: unable to access 'https://git.example.org/': Could not resolve host: git.example.org")
		}
	}},
	{"snapshots that never match", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("npx vitest run -t snapshot", 1, fmt.Sprintf("Snapshot `view` mismatched\n- <p id=\"a\">\n+ <p id=\"b\">\n Tests  1 failed\n Start at  04:%02d:10\n Duration  %d.%ds", 20+i, 1+i%2, i))
			s.read("src/price.js")
			s.read("package.json")
		}
	}},
	{"an update that changes the snapshot to and fro", true, func(s *script) {
		s.stuck()
		for i := range 12 {
			s.shell("npx jest -u", 0, "1 snapshot updated.", func() { s.set("snap", fmt.Sprint(i%2)) })
			s.sh("npx jest", 1, "1 snapshot failed.")
		}
	}},
	{"format against lint", true, func(s *script) {
		s.stuck()
		for range 7 {
			s.shell("npx prettier --write src", 0, "src/price.js 30ms", func() { s.set("src/price.js", "'a'") })
			s.sh("npx eslint src", 1, "Strings must use doublequote")
			s.shell("npx eslint --fix src", 0, "", func() { s.set("src/price.js", "\"a\"") })
			s.sh("npx prettier --check src", 1, "[warn] src/price.js")
		}
	}},
	{"a type that does not fit, edited to and fro in two files", true, func(s *script) {
		s.set("src/a.ts", "let a: string")
		s.stuck()
		for range 6 {
			s.edit("src/a.ts", "string", "number")
			s.sh("npx tsc --noEmit", 2, "src/b.ts(3,1): error TS2345")
			s.edit("src/a.ts", "number", "string")
			s.sh("npx tsc --noEmit", 2, "src/a.ts(1,1): error TS2322")
			s.read("src/a.ts")
		}
	}},
	{"the answer of a tool that is out of order", true, func(s *script) {
		names := map[string]string{"claude": "mcp__db__query", "codex": "command_execution", "gemini": "db_query", "opencode": "db_query", "pi": "db_query", "qwen": "db_query"}
		s.stuck()
		for i := range 8 {
			if s.as == "codex" {
				s.sh("db query 'select 1'", 1, fmt.Sprintf("error: pool is closed (request id: %x)", 0xabc123+i*77))
				continue
			}
			s.tool(names, fields{"sql": "select 1"}, fmt.Sprintf("error: pool is closed (request id: %x)", 0xabc123+i*77), true, nil)
		}
	}},
	{"reads of a folder instead of a file", true, func(s *script) {
		s.stuck()
		for range 6 {
			s.read("src")
			s.sh("ls src", 0, "price.js")
			s.read("src/")
		}
	}},
	{"a heap that is never enough", true, func(s *script) {
		s.stuck()
		for i := range 9 {
			s.sh("npm run build", 134, fmt.Sprintf("<--- Last few GCs --->\n[%d:0x%x]    %d ms: Mark-sweep 2047.%d (2082.1) -> 2046.%d MB\nFATAL ERROR: Reached heap limit Allocation failed", 4100+i*9, 0x5581000+i*4096, 38121+i*401, i, (i*3)%10))
		}
	}},
	{"a search that finds nothing, in many turns", true, func(s *script) {
		s.stuck()
		for i := range 18 {
			switch i % 3 {
			case 0:
				s.grep("applyDiscount", "")
			case 1:
				s.sh("git log -S applyDiscount --oneline", 0, "")
			default:
				s.sh("grep -rn applyDiscount . --include=*.js", 1, "")
			}
			if i%4 == 1 {
				s.todo(fmt.Sprintf("find applyDiscount %d", i))
			}
		}
	}},
	{"a proof that fails at the same goal", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("lake build", 1, fmt.Sprintf("error: Shop.lean:12:2: unsolved goals\n⊢ net ≤ gross\nBuild completed in %d.%ds", 8+i%3, i))
			s.read("src/price.js")
		}
	}},
	{"an emulator that does not boot", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("adb kill-server; adb start-server", 0, fmt.Sprintf("* daemon not running; starting now at tcp:%d\n* daemon started successfully", 5037))
			s.sh("adb devices", 0, "List of devices attached")
			s.sh(fmt.Sprintf("emulator -avd test -port %d &", 5554+i*2), 0, fmt.Sprintf("[%d] %d\nPANIC: Missing emulator engine program", i+1, 71000+i*8))
		}
	}},
	{"a certificate that is not trusted", true, func(s *script) {
		s.stuck()
		for i := range 9 {
			s.sh("npm view left-pad version", 1, fmt.Sprintf("npm error code SELF_SIGNED_CERT_IN_CHAIN\nnpm error A complete log of this run can be found in: /root/.npm/_logs/2026-11-24T05_1%d_01_00%dZ-debug-0.log", i, i))
			s.sh("npm config get cafile", 0, "null")
		}
	}},
	{"a disk that is full", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("npm run build", 1, fmt.Sprintf("Error: ENOSPC: no space left on device, write\n    at node:fs:%d\nBuild failed in %dms", 811, 900+i*7))
			s.sh("df -h .", 0, "overlay  20G  20G  0  100% /")
		}
	}},
	{"a worker that dies of the same signal", true, func(s *script) {
		s.stuck()
		for i := range 8 {
			s.sh("make run", 2, fmt.Sprintf("[%d] worker started\nworker %d exited on signal 11\nmake: *** [run] Error 139", 8200+i*5, 8200+i*5))
			s.sh("git diff --stat", 0, "")
		}
	}},
	{"waiting for a lock that nobody will free", true, func(s *script) {
		s.stuck()
		for i := range 9 {
			s.sh("git add -A", 128, "fatal: Unable to create '/work/shop/.git/index.lock': File exists.")
			s.sh(fmt.Sprintf("sleep %d", 5*(i+1)), 0, "")
		}
	}},
	{"a login page asked again and again", true, func(s *script) {
		s.stuck()
		for i := range 16 {
			s.sh("curl -s -o /dev/null -w '%{http_code}' http://localhost:8080/admin", 0, "302")
			s.sh("grep -rn admin src", 0, "src/price.js:4: admin")
			if i%2 == 0 {
				s.sh("pwd", 0, "/work/shop")
			}
		}
	}},
}
