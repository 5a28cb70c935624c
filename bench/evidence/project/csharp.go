package project

import (
	"os"
	"path/filepath"
	"strings"
)

// samples are NUnit's own examples, which its package contains with their tests.
const samples = "root/usr/share/doc/nunit/examples/csharp/money"

const runNUnit = `set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
$MONO "$MCS" -warn:0 -target:library -r:nunit.framework.dll "-lib:$NUNIT" "-out:$out/money.dll" src/*.cs tests/*.cs
cd "$out"
$MONO "$RUNNER" -nologo -nodots -domain:None -process:Single -noshadow money.dll
`

// lintMCS compiles into a separate folder. The compiler replaces its output file: never pass it a
// device.
const lintMCS = `out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
$MONO "$MCS" -warn:4 -target:library "-out:$out/money.dll" src/IMoney.cs src/Money.cs src/MoneyBag.cs
`

// money is a small project, with tests that run under mono: there is no dotnet here.
func money() Project {
	const code, tests = "src/Money.cs", "tests/MoneyTest.cs"
	return Project{
		Language: "C#", Name: "nunit-money", Version: "2.6.4", From: "Debian (libnunit-doc), compiled and run by mono",
		Needs: []string{samples, "root/usr/bin/mono-sgen", "root/usr/lib/mono/4.5/mcs.exe", "root/usr/lib/nunit/nunit-console.exe"},
		Tools: []string{"gunzip"},
		Unpack: func(s Store, dir string) error {
			for _, d := range []string{"src", "tests"} {
				if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
					return err
				}
			}
			return Command(dir, nil, "sh", "-c",
				`cp "$1"/IMoney.cs "$1"/Money.cs "$1"/MoneyBag.cs src && `+
					`gunzip -c "$1"/MoneyTest.cs.gz > tests/MoneyTest.cs && printf '%s' "$2" > test.sh && `+
					`printf '%s' "$3" > lint.sh`, "sh", s.At(samples), runNUnit, lintMCS)
		},
		Env: func(s Store) []string {
			var libs []string
			for _, l := range []string{"usr/lib/mono/4.5", "usr/lib/cli/nunit.framework-2.6.3",
				"usr/lib/cli/nunit.core-2.6.3", "usr/lib/cli/nunit.core.interfaces-2.6.3",
				"usr/lib/cli/nunit.util-2.6.3", "usr/lib/cli/nunit-console-runner-2.6.3"} {
				libs = append(libs, s.At("root", l))
			}
			return []string{"MONO_PATH=" + strings.Join(libs, ":"), "MONO_CFG_DIR=" + s.At("root/etc"),
				"MONO_GAC_PREFIX=" + s.At("root/usr"), "LD_LIBRARY_PATH=" + s.At("root/usr/lib"),
				"MONO=" + s.At("root/usr/bin/mono-sgen"), "MCS=" + s.At("root/usr/lib/mono/4.5/mcs.exe"),
				"RUNNER=" + s.At("root/usr/lib/nunit/nunit-console.exe"),
				"NUNIT=" + s.At("root/usr/lib/cli/nunit.framework-2.6.3")}
		},
		Test:    "sh test.sh",
		Linter:  "  mcs:\n    command: sh lint.sh\n",
		Files:   "src/**,tests/**",
		Comment: "//", Code: code, Constant: "// %s = \"%s\"",
		Good: Edits(
			swap(code, "\t\tpublic IMoney Negate() ",
				"\t\t/// <summary>Tells whether this is owed.</summary>\n\t\tpublic bool IsDebt \n\t\t{\n"+
					"\t\t\tget { return Amount < 0; }\n\t\t}\n\n\t\tpublic IMoney Negate() "),
			swap(tests, "\t\t[Test]\n\t\tpublic void Print() ",
				"\t\t[Test]\n\t\tpublic void Debt() \n\t\t{\n\t\t\tAssert.IsTrue(new Money(-1, "+
					"\"CHF\").IsDebt);\n\t\t\tAssert.IsFalse(f12CHF.IsDebt);\n\t\t}\n\n\t\t[Test]\n\t\tpublic void Print() ")),
		Cases: []Trial{
			{Name: "failing test", Make: swap(code, "\"[\"+Amount", "\"<\"+Amount"), Says: []string{"error tests…"}},
			{Name: "code that does not compile", Make: swap(code, "public IMoney Negate() ", "public IMoney Negate(( "),
				Flags: []string{"--skip", "lint"}, Says: []string{"error tests…"}},
			{Name: "deleted test", Make: cut(tests, "\t\t[Test]\n\t\tpublic void Print() ",
				"\t\t[Test]\n\t\tpublic void SimpleAdd() "), Says: []string{"question integrity"}},
			{Name: "deleted test file", Make: remove(tests), Says: []string{"question integrity…", "warning size"}},
			{Name: "renamed test", Make: swap(tests, "public void Print() ", "public void IsPrinted() ")},
			{Name: "skipped test", Make: swap(tests, "\t\t[Test]\n\t\tpublic void Print() ",
				"\t\t[Test, Ignore(\"later\")]\n\t\tpublic void Print() "), Says: []string{"error integrity"}},
			{Name: "test without its assertion",
				Make: swap(tests, "Assert.AreEqual(\"[12 CHF]\", f12CHF.ToString());", "f12CHF.ToString();"),
				Says: []string{"error integrity"}},
			{Name: "assertion that always holds",
				Make: swap(tests, "Assert.AreEqual(\"[12 CHF]\", f12CHF.ToString());", "Assert.IsTrue(true);"),
				Says: []string{"error integrity"}},
			{Name: "fewer assertions", Make: swap(tests, "\t\t\tAssert.IsFalse(f12CHF.Equals(f14CHF));\n", ""),
				Says: []string{"warning integrity"}},
			{Name: "expected value changed with the code",
				Make: Edits(swap(code, "\"[\"+Amount+\" \"+Currency+\"]\"", "\"(\"+Amount+\" \"+Currency+\")\""),
					swap(tests, "\"[12 CHF]\", f12CHF", "\"(12 CHF)\", f12CHF")), Says: []string{"warning integrity"}},
			{Name: "code without a test file",
				Make: Write("src/Even.cs", "namespace NUnit.Samples.Money\n{\n\tpublic static class "+
					"Even\n\t{\n\t\tpublic static bool Is(int n) { return n % 2 == 0; }\n\t}\n}\n"), Says: []string{"warning coverage"}},
			{Name: "lint finding on a changed line",
				Make: swap(code, "\t\t\tStringBuilder buffer", "\t\t\tint unused = 1;\n\t\t\tStringBuilder buffer"),
				Says: []string{"warning lint"}},
			{Name: "lint finding on an old line", Make: Add("src/MoneyBag.cs", "\n// Looked through once more.\n"),
				Flags: []string{"--skip", "coverage"}},
		},
	}
}
