package main

import (
	"os"
	"path/filepath"
	"strings"
)

// samples are NUnit's own examples, which its package ships with their tests.
const samples = "root/usr/share/doc/nunit/examples/csharp/money"

const runNUnit = `set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
$MONO "$MCS" -warn:0 -target:library -r:nunit.framework.dll "-lib:$NUNIT" "-out:$out/money.dll" src/*.cs tests/*.cs
cd "$out"
$MONO "$RUNNER" -nologo -nodots -domain:None -process:Single -noshadow money.dll
`

// lintMCS compiles into a folder of its own. The compiler replaces the file it writes: never
// name a device as its output.
const lintMCS = `out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
$MONO "$MCS" -warn:4 -target:library "-out:$out/money.dll" src/IMoney.cs src/Money.cs src/MoneyBag.cs
`

// money is a small project, and its tests are run by mono: there is no dotnet here.
func money() project {
	const code, tests = "src/Money.cs", "tests/MoneyTest.cs"
	return project{
		language: "C#", name: "nunit-money", version: "2.6.4", from: "Debian (libnunit-doc), compiled and run by mono",
		needs: []string{samples, "root/usr/bin/mono-sgen", "root/usr/lib/mono/4.5/mcs.exe", "root/usr/lib/nunit/nunit-console.exe"},
		tools: []string{"gunzip"},
		unpack: func(s store, dir string) error {
			for _, d := range []string{"src", "tests"} {
				if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
					return err
				}
			}
			return command(dir, nil, "sh", "-c", `cp "$1"/IMoney.cs "$1"/Money.cs "$1"/MoneyBag.cs src && gunzip -c "$1"/MoneyTest.cs.gz > tests/MoneyTest.cs && printf '%s' "$2" > test.sh && printf '%s' "$3" > lint.sh`, "sh", s.at(samples), runNUnit, lintMCS)
		},
		env: func(s store) []string {
			var libs []string
			for _, l := range []string{"usr/lib/mono/4.5", "usr/lib/cli/nunit.framework-2.6.3", "usr/lib/cli/nunit.core-2.6.3", "usr/lib/cli/nunit.core.interfaces-2.6.3",
				"usr/lib/cli/nunit.util-2.6.3", "usr/lib/cli/nunit-console-runner-2.6.3"} {
				libs = append(libs, s.at("root", l))
			}
			return []string{"MONO_PATH=" + strings.Join(libs, ":"), "MONO_CFG_DIR=" + s.at("root/etc"), "MONO_GAC_PREFIX=" + s.at("root/usr"), "LD_LIBRARY_PATH=" + s.at("root/usr/lib"),
				"MONO=" + s.at("root/usr/bin/mono-sgen"), "MCS=" + s.at("root/usr/lib/mono/4.5/mcs.exe"), "RUNNER=" + s.at("root/usr/lib/nunit/nunit-console.exe"),
				"NUNIT=" + s.at("root/usr/lib/cli/nunit.framework-2.6.3")}
		},
		test:    "sh test.sh",
		linter:  "  mcs:\n    command: sh lint.sh\n",
		files:   "src/**,tests/**",
		comment: "//", code: code, constant: "// %s = \"%s\"",
		good: edits(
			swap(code, "\t\tpublic IMoney Negate() ", "\t\t/// <summary>Tells whether this is owed.</summary>\n\t\tpublic bool IsDebt \n\t\t{\n\t\t\tget { return Amount < 0; }\n\t\t}\n\n\t\tpublic IMoney Negate() "),
			swap(tests, "\t\t[Test]\n\t\tpublic void Print() ", "\t\t[Test]\n\t\tpublic void Debt() \n\t\t{\n\t\t\tAssert.IsTrue(new Money(-1, \"CHF\").IsDebt);\n\t\t\tAssert.IsFalse(f12CHF.IsDebt);\n\t\t}\n\n\t\t[Test]\n\t\tpublic void Print() ")),
		cases: []trial{
			{name: "failing test", make: swap(code, "\"[\"+Amount", "\"<\"+Amount"), says: []string{"error tests…"}},
			{name: "code that does not compile", make: swap(code, "public IMoney Negate() ", "public IMoney Negate(( "), flags: []string{"--skip", "lint"}, says: []string{"error tests…"}},
			{name: "deleted test", make: cut(tests, "\t\t[Test]\n\t\tpublic void Print() ", "\t\t[Test]\n\t\tpublic void SimpleAdd() "), says: []string{"error integrity"}},
			{name: "deleted test file", make: remove(tests), says: []string{"error integrity…", "warning size"}},
			{name: "renamed test", make: swap(tests, "public void Print() ", "public void IsPrinted() ")},
			{name: "skipped test", make: swap(tests, "\t\t[Test]\n\t\tpublic void Print() ", "\t\t[Test, Ignore(\"later\")]\n\t\tpublic void Print() "), says: []string{"error integrity"}},
			{name: "test without its assertion", make: swap(tests, "Assert.AreEqual(\"[12 CHF]\", f12CHF.ToString());", "f12CHF.ToString();"), says: []string{"error integrity"}},
			{name: "assertion that always holds", make: swap(tests, "Assert.AreEqual(\"[12 CHF]\", f12CHF.ToString());", "Assert.IsTrue(true);"), says: []string{"error integrity"}},
			{name: "fewer assertions", make: swap(tests, "\t\t\tAssert.IsFalse(f12CHF.Equals(f14CHF));\n", ""), says: []string{"warning integrity"}},
			{name: "expected value changed with the code", make: edits(swap(code, "\"[\"+Amount+\" \"+Currency+\"]\"", "\"(\"+Amount+\" \"+Currency+\")\""), swap(tests, "\"[12 CHF]\", f12CHF", "\"(12 CHF)\", f12CHF")), says: []string{"warning integrity"}},
			{name: "code without a test file", make: write("src/Even.cs", "namespace NUnit.Samples.Money\n{\n\tpublic static class Even\n\t{\n\t\tpublic static bool Is(int n) { return n % 2 == 0; }\n\t}\n}\n"), says: []string{"warning coverage"}},
			{name: "lint finding on a changed line", make: swap(code, "\t\t\tStringBuilder buffer", "\t\t\tint unused = 1;\n\t\t\tStringBuilder buffer"), says: []string{"warning lint"}},
			{name: "lint finding on an old line", make: add("src/MoneyBag.cs", "\n// Looked through once more.\n"), flags: []string{"--skip", "coverage"}},
		},
	}
}
