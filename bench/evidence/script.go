package main

func nothing(store) []string { return []string{"npm_config_update_notifier=false"} }

func zod() project {
	const code, tests = "src/v3/helpers/parseUtil.ts", "src/v3/tests/parseUtil.test.ts"
	return project{
		language: "TypeScript", name: "zod", version: "3.25.76", from: "npm",
		needs: []string{"npm/zod-3.25.76.tgz", "nodes/node_modules/vitest", "nodes/node_modules/eslint"},
		tools: []string{"npx"},
		unpack: packed("zod-3.25.76", edits(
			write(".eslintrc.json", `{"root": true, "parser": "@typescript-eslint/parser", "plugins": ["@typescript-eslint"], "extends": ["eslint:recommended"], "env": {"es2022": true, "node": true}, "rules": {"no-self-compare": 2, "no-undef": 0, "no-redeclare": 0, "no-unused-vars": 0}}`+"\n"),
			swap("src/v3/helpers/util.ts", "export namespace util {", "export namespace util {\n  if (false) assertNever;"))),
		env:     nothing,
		test:    "npx vitest run parseUtil number.test string.test",
		linter:  "  eslint:\n    command: npx eslint --ext .ts src/v3/helpers\n",
		files:   "src/**",
		comment: "//", code: code, constant: "export const %s: string = \"%s\";",
		good: edits(
			add(code, "\nexport const isSettled = (x: ParseReturnType<unknown>): boolean => !isAsync(x) && !isAborted(x);\n"),
			swap(tests, "import { type SyncParseReturnType, isAborted, isDirty, isValid }", "import { type SyncParseReturnType, isAborted, isDirty, isSettled, isValid }"),
			add(tests, "\ntest(\"isSettled knows what is done\", () => {\n  expect(isSettled({ status: \"valid\", value: 1 })).toBe(true);\n  expect(isSettled({ status: \"aborted\" })).toBe(false);\n});\n")),
		cases: []trial{
			{name: "failing test", make: swap(code, `(x as any).status === "aborted"`, `(x as any).status === "dirty"`), says: []string{"error tests…"}},
			{name: "code that does not compile", make: add(code, "export const = 1;\n"), flags: []string{"--skip", "lint"}, says: []string{"error tests…"}},
			{name: "deleted test", make: cut("src/v3/tests/number.test.ts", "test(\"parse NaN\"", "test(\"min max getters\""), says: []string{"error integrity"}},
			{name: "deleted test file", make: remove(tests), says: []string{"error integrity…"}},
			{name: "renamed test", make: swap(tests, "parseUtil isInvalid should use structural typing", "isInvalid uses structural typing")},
			{name: "skipped test", make: swap(tests, "test(\"parseUtil", "test.skip(\"parseUtil"), says: []string{"error integrity"}},
			{name: "only one test runs", make: swap("src/v3/tests/number.test.ts", "test(\"parse NaN\"", "test.only(\"parse NaN\""), says: []string{"error integrity"}},
			{name: "test without its assertion", make: cut(tests, "  expect(isAborted(aborted))", "});\n"), says: []string{"error integrity"}},
			{name: "assertion that always holds", make: swap(tests, "expect(isValid(valid)).toBe(true)", "expect(true).toBe(true)"), says: []string{"error integrity"}},
			{name: "fewer assertions", make: cut(tests, "  expect(isDirty(aborted))", "});\n"), says: []string{"warning integrity"}},
			{name: "expected value changed with the code", make: edits(swap(code, `(x as any).status === "dirty"`, `(x as any).status !== "valid"`), swap(tests, "expect(isDirty(aborted)).toBe(false)", "expect(isDirty(aborted)).toBe(true)")), says: []string{"warning integrity"}},
			{name: "untyped declaration", make: add(code, "\nexport function isNothing(x) {\n  return x === undefined;\n}\n"), says: []string{"warning style"}},
			{name: "code without a test file", make: write("src/v3/helpers/even.ts", "export const isEven = (n: number): boolean => n % 2 === 0;\n"), says: []string{"warning coverage"}},
			{name: "lint finding on a changed line", make: add(code, "\nexport const isSame = (x: number): boolean => x === x;\n"), says: []string{"error lint"}},
			{name: "lint finding on an old line", make: add("src/v3/helpers/util.ts", "\n// Looked through once more.\n"), flags: []string{"--skip", "coverage"}},
		},
	}
}

func qs() project {
	const code, tests = "lib/utils.js", "test/utils.js"
	return project{
		language: "JavaScript", name: "qs", version: "6.13.0", from: "npm",
		needs: []string{"npm/qs-6.13.0.tgz", "nodes/node_modules/tape", "nodes/node_modules/eslint"},
		tools: []string{"npx"},
		unpack: packed("qs-6.13.0", edits(
			write(".eslintrc", `{"root": true, "extends": ["eslint:recommended"], "env": {"node": true, "es6": true}, "rules": {"no-unused-vars": 2, "no-self-compare": 2}}`+"\n"),
			swap("lib/formats.js", "var replace", "var unused = 1;\nvar replace"))),
		env:     nothing,
		test:    "npx tape test/**/*.js",
		linter:  "  eslint:\n    command: npx eslint --format checkstyle lib\n    format: checkstyle\n",
		files:   "lib/**,test/**",
		comment: "//", code: code, constant: "var %s = '%s';",
		good: edits(
			swap(code, "module.exports = {\n", "var isNothing = function isNothing(value) {\n    return value === null || typeof value === 'undefined';\n};\n\nmodule.exports = {\n    isNothing: isNothing,\n"),
			add(tests, "\ntest('isNothing()', function (t) {\n    t.equal(utils.isNothing(null), true, 'null is nothing');\n    t.equal(utils.isNothing(0), false, 'zero is something');\n    t.end();\n});\n")),
		cases: []trial{
			{name: "failing test", make: swap(code, "return [].concat(a, b);", "return [].concat(b, a);"), says: []string{"error tests…"}},
			{name: "code that does not compile", make: swap(code, "var combine = function", "var = function"), flags: []string{"--skip", "lint"}, says: []string{"error tests…"}},
			{name: "deleted test", make: cut(tests, "test('assign()'", "test('combine()'"), says: []string{"error integrity"}},
			{name: "deleted test file", make: remove(tests), says: []string{"error integrity…"}},
			{name: "renamed test", make: swap(tests, "test('assign()'", "test('assigns what it is given'")},
			{name: "skipped test", make: swap(tests, "test('assign()', ", "test('assign()', { skip: true }, "), says: []string{"error integrity"}},
			{name: "only one test runs", make: swap(tests, "test('assign()'", "test.only('assign()'"), says: []string{"error integrity"}},
			{name: "test without its assertion", make: cut(tests, "    t.equal(result, target, 'returns the target');\n", "    t.end();\n});\n\ntest('combine()'"), says: []string{"error integrity"}},
			{name: "deleted subtest", make: cut(tests, "    t.test('one array, one non-array'", "    t.test('neither is an array'"), says: []string{"error integrity", "warning integrity"}},
			{name: "fewer assertions", make: swap(tests, "        st.notEqual(a, combined, 'a !== combined');\n", ""), says: []string{"warning integrity…"}},
			{name: "expected value changed with the code", make: edits(swap(code, "return [].concat(a, b);", "return [].concat(b, a);"), swap(tests, "st.deepEqual(combined, [1, 2]", "st.deepEqual(combined, [2, 1]")), says: []string{"warning integrity", "error tests…"}},
			{name: "undocumented declaration", make: add(code, "\nexports.isOdd = function (n) { return n % 2 === 1; };\n"), flags: []string{"--skip", "tests"}},
			{name: "code without a test file", make: write("lib/even.js", "'use strict';\n\nmodule.exports = function isEven(n) {\n    return n % 2 === 0;\n};\n"), says: []string{"warning coverage"}},
			{name: "lint finding on a changed line", make: swap(code, "return [].concat(a, b);", "if (a === a) { return [].concat(a, b); }"), says: []string{"error lint"}},
			{name: "lint finding on an old line", make: add("lib/formats.js", "\n// Looked through once more.\n"), flags: []string{"--skip", "coverage"}},
		},
	}
}
