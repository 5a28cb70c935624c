package testdiff

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/syntax"
)

// phpClass returns a PHPUnit class; methods are pairs of head and body.
func phpClass(head string, methods ...string) string {
	var b strings.Builder
	b.WriteString("<?php\n\nuse X\\BaseCase as TestCase;\n\n" + head + "\n{\n")
	for i := 0; i+1 < len(methods); i += 2 {
		b.WriteString("    " + methods[i] + ": void\n    {\n        " + methods[i+1] + "\n    }\n\n")
	}
	return b.String() + "}\n"
}

const (
	phpA    = "class ATest extends TestCase"
	phpOne  = "public function testOne()"
	phpTwo  = "public function testTwo()"
	phpSame = "$this->assertSame(1, one('x')->value());"
	phpMore = "$this->assertTrue(two(2));"
)

// TestPHP has changes that weaken tests of PHP, and some that only seem to.
func TestPHP(t *testing.T) {
	t.Parallel()
	both := phpClass(phpA, phpOne, phpSame, phpTwo, phpMore)
	for name, c := range map[string]struct {
		before, after string
		more          *syntax.File
		want          string
	}{
		"deleted":         {both, phpClass(phpA, phpTwo, phpMore), nil, "question tests/ATest.php:0 test deleted: ATest > testOne"},
		"commented out":   {both, phpClass(phpA, "// "+phpOne, "//"+phpSame, phpTwo, phpMore), nil, "question tests/ATest.php:0 test deleted: ATest > testOne"},
		"made private":    {both, phpClass(phpA, "private function testOne()", phpSame, phpTwo, phpMore), nil, "question tests/ATest.php:0 test deleted: ATest > testOne"},
		"no test by name": {both, phpClass(phpA, "public function one()", phpSame, phpTwo, phpMore), nil, "question tests/ATest.php:0 test deleted: ATest > testOne"},
		"renamed":         {both, phpClass(phpA, "public function testFirst()", phpSame, phpTwo, phpMore), nil, ""},
		"marked":          {both, phpClass(phpA, "#[Test]\n    public function first()", phpSame, phpTwo, phpMore), nil, ""},
		"moved":           {both, phpClass(phpA, phpTwo, phpMore), file("tests/BTest.php", "", phpClass("class BTest extends TestCase", phpOne, phpSame)), ""},
		"inherited": {both, phpClass(phpA, phpTwo, phpMore),
			file("tests/BaseCase.php", phpClass("class BaseCase", phpOne, "$this->assertSame(1, other());"),
				phpClass("class BaseCase", phpOne, "$this->assertSame(1, other()); // of all\n"+phpSame)), "warning tests/ATest.php:0 test deleted: ATest > testOne"},
		"emptied":          {both, phpClass(phpA, phpOne, "", phpTwo, phpMore), nil, "error tests/ATest.php:7 test emptied: ATest > testOne"},
		"nothing asserted": {both, phpClass(phpA, phpOne, "one('x')->value();", phpTwo, phpMore), nil, "error tests/ATest.php:7 test without assertions: ATest > testOne"},
		"always true":      {both, phpClass(phpA, phpOne, "$this->assertTrue(true);", phpTwo, phpMore), nil, "error tests/ATest.php:9 assertion that always passes: ATest > testOne"},
		"skipped":          {both, phpClass(phpA, phpOne, "$this->markTestSkipped('x'); "+phpSame, phpTwo, phpMore), nil, "error tests/ATest.php:9 test skipped: ATest > testOne"},
		"skipped somewhere": {both, phpClass(phpA, phpOne, "if (old()) { self::markTestSkipped('x'); } "+phpSame, phpTwo, phpMore), nil,
			"warning tests/ATest.php:9 test skipped conditionally: ATest > testOne"},
		"all skipped": {both, phpClass(phpA, "protected function setUp()", "$this->markTestSkipped('x');", phpOne, phpSame, phpTwo, phpMore), nil,
			"error tests/ATest.php:9 tests skipped: ATest"},
		"needs more": {both, phpClass(phpA, "#[RequiresPhp('>= 9')]\n    "+phpOne, phpSame, phpTwo, phpMore), nil,
			"warning tests/ATest.php:7 test skipped conditionally: ATest > testOne"},
		"returns": {both, phpClass(phpA, phpOne, "return; "+phpSame, phpTwo, phpMore), nil, "error tests/ATest.php:9 test returns before its assertions: ATest > testOne"},
		"in text": {both, phpClass(phpA, phpOne, "$x = <<<EOT\n$this->markTestSkipped(1);\nEOT;\n"+phpSame, phpTwo, phpMore), nil, ""},
		"pest":    {"<?php\nit('a', function () { expect(a())->toBe(1); });\n", "<?php\nit('a', function () { expect(a())->toBe(1); })->skip();\n", nil, "error tests/ATest.php:2 test skipped: a"},
		"pest only": {"<?php\nit('a', function () { expect(a())->toBe(1); });\n", "<?php\nit('a', function () { expect(a())->toBe(1); })->only();\n", nil,
			"error tests/ATest.php:2 only some tests run: a"},
		"pest todo": {"<?php\nit('a', function () { expect(a())->toBe(1); });\n", "<?php\nit('a')->todo();\n", nil,
			"error tests/ATest.php:2 test skipped: a\nerror tests/ATest.php:2 test emptied: a"},
		"rewritten for pest": {phpClass(phpA, phpOne, phpSame), "<?php\ntest('one', function () { expect(one('x')->value())->toBe(1); });\n", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			files := []*syntax.File{file("tests/ATest.php", c.before, c.after)}
			if c.more != nil {
				files = append(files, c.more)
			}
			if got := told(Check(files, Rules{})); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}
