package project

import (
	"os"
	"path/filepath"
)

// jdk is the source of the JDK.
const jdk = "root/usr/lib/jvm/openjdk-17/lib/src.zip"

const levelTests = `package logging;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;

import java.util.logging.Level;
import org.junit.Test;

public class LevelTest {
    @Test
    public void namesAreParsed() {
        assertSame(Level.WARNING, Level.parse("WARNING"));
        assertSame(Level.OFF, Level.parse("OFF"));
    }

    @Test
    public void numbersAreParsed() {
        assertSame(Level.INFO, Level.parse("800"));
        assertEquals(801, Level.parse("801").intValue());
    }
}
`

const memoryHandlerTests = `package logging;

import static org.junit.Assert.assertEquals;

import java.util.logging.Level;
import java.util.logging.MemoryHandler;
import java.util.logging.StreamHandler;
import org.junit.Test;

public class MemoryHandlerTest {
    @Test
    public void levelIsKept() {
        assertEquals(Level.SEVERE, new MemoryHandler(new StreamHandler(), 10, Level.SEVERE).getPushLevel());
    }
}
`

const runJUnit = `set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mkdir "$out/m" "$out/t"
find src/main/java -name '*.java' ! -name module-info.java > "$out/code"
find src/test/java -name '*.java' > "$out/tests"
javac -J-XX:TieredStopAtLevel=1 -nowarn -d "$out/m" --patch-module java.logging=src/main/java @"$out/code"
javac -J-XX:TieredStopAtLevel=1 -d "$out/t" --patch-module java.logging="$out/m" -cp "$JUNIT" @"$out/tests"
java -XX:TieredStopAtLevel=1 --patch-module java.logging="$out/m" -cp "$JUNIT:$out/t" org.junit.runner.JUnitCore ` +
	`$(sed 's|src/test/java/||;s|/|.|g;s|[.]java$||' "$out/tests")
`

const checkstyleRules = `<?xml version="1.0"?>
<!DOCTYPE module PUBLIC "-//Checkstyle//DTD Checkstyle Configuration 1.3//EN" "https://checkstyle.org/dtds/configuration_1_3.dtd">
<module name="Checker">
  <module name="TreeWalker">
    <module name="UnusedImports"/>
    <module name="RedundantModifier"/>
  </module>
</module>
`

// logging is a module of the JDK. The package does not have its tests: those here are ours, and
// part of the project before every change.
func logging() Project {
	const code, tests = "src/main/java/java/util/logging/Level.java", "src/test/java/logging/LevelTest.java"
	return Project{
		Language: "Java", Name: "java.logging", Version: "17", From: "Debian (openjdk-17-source; the tests are ours)",
		Needs: []string{jdk, "root/usr/share/java/junit4.jar", "root/usr/share/java/checkstyle.jar"},
		Tools: []string{"javac", "unzip"},
		Unpack: func(s Store, dir string) error {
			if err := Command(dir, nil, "unzip", "-q", s.At(jdk), "java.logging/*"); err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Join(dir, "src/main"), 0o755); err != nil {
				return err
			}
			if err := os.Rename(filepath.Join(dir, "java.logging"), filepath.Join(dir, "src/main/java")); err != nil {
				return err
			}
			return Edits(Write(tests, levelTests), Write("src/test/java/logging/MemoryHandlerTest.java", memoryHandlerTests),
				Write("test.sh", runJUnit), Write("checkstyle.xml", checkstyleRules))(dir)
		},
		Env: func(s Store) []string {
			return []string{"JUNIT=" + s.At("root/usr/share/java/junit4.jar") + ":" + s.At("root/usr/share/java/hamcrest-all.jar")}
		},
		Test: "sh test.sh",
		Linter: "  checkstyle:\n    command: java -XX:TieredStopAtLevel=1 -cp '$STORE/root/usr/share/java/*' " +
			"com.puppycrawl.tools.checkstyle.Main -c checkstyle.xml -f xml src/main/java/java/util/logging/Level.java " +
			"src/main/java/java/util/logging/Filter.java\n    format: checkstyle\n",
		Files:   "src/**",
		Comment: "//", Code: code, Constant: "// %s = \"%s\"",
		Good: Edits(
			swap(code, "    public final int intValue() {",
				"    public final boolean isOff() {\n        return value == Integer.MAX_VALUE;\n    }\n\n    /**\n"+
					"     * Returns the integer value for this level.\n     * @return the integer value for this level.\n"+
					"     */\n    public final int intValue() {"),
			swap(tests, "    @Test\n    public void numbersAreParsed",
				"    @Test\n    public void offIsOff() {\n        assertEquals(true, Level.OFF.isOff());\n    }\n\n"+
					"    @Test\n    public void numbersAreParsed")),
		Cases: []Trial{
			{Name: "failing test", Make: swap(code, "    public final int intValue() {\n        return value;",
				"    public final int intValue() {\n        return value + 1;"), Says: []string{"error tests…"}},
			{Name: "code that does not compile",
				Make:  swap(code, "public final int intValue()", "public final int intValue(("),
				Flags: []string{"--skip", "lint"}, Says: []string{"error tests…"}},
			{Name: "deleted test", Make: cut(tests, "    @Test\n    public void namesAreParsed",
				"    @Test\n    public void numbersAreParsed"), Says: []string{"question integrity"}},
			{Name: "deleted test file", Make: remove(tests), Says: []string{"question integrity…"}},
			{Name: "renamed test", Make: swap(tests, "namesAreParsed", "everyNameIsParsed")},
			{Name: "skipped test", Make: Edits(swap(tests, "    @Test\n    public void namesAreParsed",
				"    @Ignore\n    @Test\n    public void namesAreParsed"),
				swap(tests, "import org.junit.Test;", "import org.junit.Ignore;\nimport org.junit.Test;")),
				Says: []string{"error integrity"}},
			{Name: "test without its assertion",
				Make: cut(tests, "        assertSame(Level.WARNING",
					"    }\n\n    @Test\n    public void numbersAreParsed"), Says: []string{"error integrity"}},
			{Name: "assertion that always holds",
				Make: swap(tests, "assertSame(Level.OFF, Level.parse(\"OFF\"))", "assertEquals(1, 1)"), Says: []string{"error integrity"}},
			{Name: "fewer assertions", Make: swap(tests, "        assertSame(Level.OFF, Level.parse(\"OFF\"));\n", ""),
				Says: []string{"warning integrity"}},
			{Name: "expected value changed with the code",
				Make: Edits(swap(code, "    public final int intValue() {\n        return value;",
					"    public final int intValue() {\n        return value + 1;"),
					swap(tests, "assertEquals(801, Level", "assertEquals(802, Level")), Says: []string{"warning integrity"}},
			{Name: "code without a test file",
				Make: Add("src/main/java/java/util/logging/XMLFormatter.java",
					"\nclass Even {\n    static boolean is(int n) {\n        return n % 2 == 0;\n    }\n}\n"),
				Says: []string{"warning coverage"}},
			{Name: "lint finding on a changed line",
				Make: swap(code, "import java.util.", "import java.util.BitSet;\nimport java.util."), Says: []string{"error lint"}},
			{Name: "lint finding on an old line",
				Make: Add("src/main/java/java/util/logging/Filter.java", "\n// Looked through once more.\n")},
		},
	}
}
