package project

func nothing(Store) []string { return []string{"npm_config_update_notifier=false"} }

func zod() Project {
	const code, tests = "src/v3/helpers/parseUtil.ts", "src/v3/tests/parseUtil.test.ts"
	return Project{
		Language: "TypeScript", Name: "zod", Version: "3.25.76", From: "npm",
		Needs: []string{"npm/zod-3.25.76.tgz", "nodes/node_modules/vitest", "nodes/node_modules/eslint"},
		Tools: []string{"npx"},
		Unpack: packed("zod-3.25.76", Edits(
			Write(".eslintrc.json",
				`{"root": true, "parser": "@typescript-eslint/parser", "plugins": ["@typescript-eslint"], `+
					`"extends": ["eslint:recommended"], "env": {"es2022": true, "node": true}, `+
					`"rules": {"no-self-compare": 2, "no-undef": 0, "no-redeclare": 0, "no-unused-vars": 0}}`+"\n"),
			swap("src/v3/helpers/util.ts", "export namespace util {", "export namespace util {\n  if (false) assertNever;"))),
		Env:     nothing,
		Test:    "npx vitest run parseUtil number.test string.test",
		Linter:  "  eslint:\n    command: npx eslint --ext .ts src/v3/helpers\n",
		Files:   "src/**",
		Comment: "//", Code: code, Constant: "export const %s: string = \"%s\";",
		Good: Edits(
			Add(code, "\nexport const isSettled = (x: ParseReturnType<unknown>): boolean => !isAsync(x) && !isAborted(x);\n"),
			swap(tests, "import { type SyncParseReturnType, isAborted, isDirty, isValid }",
				"import { type SyncParseReturnType, isAborted, isDirty, isSettled, isValid }"),
			Add(tests, "\ntest(\"isSettled knows what is done\", () => {\n  expect(isSettled({ status: \"valid\", "+
				"value: 1 })).toBe(true);\n  expect(isSettled({ status: \"aborted\" })).toBe(false);\n});\n")),
		Cases: []Trial{
			{Name: "failing test", Make: swap(code, `(x as any).status === "aborted"`, `(x as any).status === "dirty"`),
				Says: []string{"error tests…"}},
			{Name: "code that does not compile", Make: Add(code, "export const = 1;\n"),
				Flags: []string{"--skip", "lint"}, Says: []string{"error tests…"}},
			{Name: "deleted test", Make: cut("src/v3/tests/number.test.ts", "test(\"parse NaN\"",
				"test(\"min max getters\""), Says: []string{"question integrity"}},
			{Name: "deleted test file", Make: remove(tests), Says: []string{"question integrity…"}},
			{Name: "renamed test", Make: swap(tests, "parseUtil isInvalid should use structural typing",
				"isInvalid uses structural typing")},
			{Name: "skipped test", Make: swap(tests, "test(\"parseUtil", "test.skip(\"parseUtil"), Says: []string{"error integrity"}},
			{Name: "only one test runs", Make: swap("src/v3/tests/number.test.ts", "test(\"parse NaN\"",
				"test.only(\"parse NaN\""), Says: []string{"error integrity"}},
			{Name: "test without its assertion", Make: cut(tests, "  expect(isAborted(aborted))", "});\n"),
				Says: []string{"error integrity"}},
			{Name: "assertion that always holds",
				Make: swap(tests, "expect(isValid(valid)).toBe(true)", "expect(true).toBe(true)"), Says: []string{"error integrity"}},
			{Name: "fewer assertions", Make: cut(tests, "  expect(isDirty(aborted))", "});\n"), Says: []string{"warning integrity"}},
			{Name: "expected value changed with the code",
				Make: Edits(swap(code, `(x as any).status === "dirty"`, `(x as any).status !== "valid"`),
					swap(tests, "expect(isDirty(aborted)).toBe(false)", "expect(isDirty(aborted)).toBe(true)")),
				Says: []string{"warning integrity"}},
			{Name: "untyped declaration", Make: Add(code,
				"\nexport function isNothing(x) {\n  return x === undefined;\n}\n"), Says: []string{"warning style"}},
			{Name: "code without a test file",
				Make: Write("src/v3/helpers/even.ts", "export const isEven = (n: number): boolean => n % 2 === 0;\n"),
				Says: []string{"warning coverage"}},
			{Name: "lint finding on a changed line",
				Make: Add(code, "\nexport const isSame = (x: number): boolean => x === x;\n"), Says: []string{"error lint"}},
			{Name: "lint finding on an old line",
				Make: Add("src/v3/helpers/util.ts", "\n// Looked through once more.\n"), Flags: []string{"--skip", "coverage"}},
		},
	}
}

func qs() Project {
	const code, tests = "lib/utils.js", "test/utils.js"
	return Project{
		Language: "JavaScript", Name: "qs", Version: "6.13.0", From: "npm",
		Needs: []string{"npm/qs-6.13.0.tgz", "nodes/node_modules/tape", "nodes/node_modules/eslint"},
		Tools: []string{"npx"},
		Unpack: packed("qs-6.13.0", Edits(
			Write(".eslintrc",
				`{"root": true, "extends": ["eslint:recommended"], "env": {"node": true, "es6": true}, `+
					`"rules": {"no-unused-vars": 2, "no-self-compare": 2}}`+"\n"),
			swap("lib/formats.js", "var replace", "var unused = 1;\nvar replace"))),
		Env:     nothing,
		Test:    "npx tape test/**/*.js",
		Linter:  "  eslint:\n    command: npx eslint --format checkstyle lib\n    format: checkstyle\n",
		Files:   "lib/**,test/**",
		Comment: "//", Code: code, Constant: "var %s = '%s';",
		Good: Edits(
			swap(code, "module.exports = {\n",
				"var isNothing = function isNothing(value) {\n"+
					"    return value === null || typeof value === 'undefined';\n};\n\nmodule.exports = {\n    isNothing: isNothing,\n"),
			Add(tests, "\ntest('isNothing()', function (t) {\n    t.equal(utils.isNothing(null), true, 'null is "+
				"nothing');\n    t.equal(utils.isNothing(0), false, 'zero is something');\n    t.end();\n});\n")),
		Cases: []Trial{
			{Name: "failing test", Make: swap(code, "return [].concat(a, b);", "return [].concat(b, a);"), Says: []string{"error tests…"}},
			{Name: "code that does not compile", Make: swap(code, "var combine = function", "var = function"),
				Flags: []string{"--skip", "lint"}, Says: []string{"error tests…"}},
			{Name: "deleted test", Make: cut(tests, "test('assign()'", "test('combine()'"), Says: []string{"question integrity"}},
			{Name: "deleted test file", Make: remove(tests), Says: []string{"question integrity…"}},
			{Name: "renamed test", Make: swap(tests, "test('assign()'", "test('assigns what it is given'")},
			{Name: "skipped test", Make: swap(tests, "test('assign()', ", "test('assign()', { skip: true }, "),
				Says: []string{"error integrity"}},
			{Name: "only one test runs", Make: swap(tests, "test('assign()'", "test.only('assign()'"), Says: []string{"error integrity"}},
			{Name: "test without its assertion",
				Make: cut(tests, "    t.equal(result, target, 'returns the target');\n",
					"    t.end();\n});\n\ntest('combine()'"), Says: []string{"error integrity"}},
			{Name: "deleted subtest", Make: cut(tests, "    t.test('one array, one non-array'",
				"    t.test('neither is an array'"), Says: []string{"question integrity", "warning integrity"}},
			{Name: "fewer assertions", Make: swap(tests, "        st.notEqual(a, combined, 'a !== combined');\n", ""),
				Says: []string{"warning integrity…"}},
			{Name: "expected value changed with the code",
				Make: Edits(swap(code, "return [].concat(a, b);", "return [].concat(b, a);"),
					swap(tests, "st.deepEqual(combined, [1, 2]", "st.deepEqual(combined, [2, 1]")),
				Says: []string{"warning integrity", "error tests…"}},
			{Name: "undocumented declaration",
				Make: Add(code, "\nexports.isOdd = function (n) { return n % 2 === 1; };\n"), Flags: []string{"--skip", "tests"}},
			{Name: "code without a test file",
				Make: Write("lib/even.js", "'use strict';\n\nmodule.exports = function isEven(n) {\n"+
					"    return n % 2 === 0;\n};\n"), Says: []string{"warning coverage"}},
			{Name: "lint finding on a changed line",
				Make: swap(code, "return [].concat(a, b);", "if (a === a) { return [].concat(a, b); }"), Says: []string{"error lint"}},
			{Name: "lint finding on an old line", Make: Add("lib/formats.js", "\n// Looked through once more.\n"),
				Flags: []string{"--skip", "coverage"}},
		},
	}
}
