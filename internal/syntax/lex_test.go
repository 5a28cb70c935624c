package syntax

import (
	"strings"
	"testing"
)

// shown formats tokens as kind and text: w word, n number, t text, m mark, c comment.
func shown(l Language, src string) string {
	letters := map[Kind]string{Word: "w", Number: "n", Text: "t", Mark: "m", Comment: "c"}
	var parts []string
	for _, t := range Lex(l, []byte(src)) {
		parts = append(parts, letters[t.Kind]+"("+t.Text+")")
	}
	return strings.Join(parts, " ")
}

func TestLex(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lang      Language
		src, want string
	}{
		{Go, "t.Skip(\"x\") // t", `w(t) m(.) w(Skip) m(() t("x") m()) c(// t)`},
		{Go, "a := `// \"no` /* c\n*/ 'x'", "w(a) m(:) m(=) t(`// \"no`) c(/* c\n*/) t('x')"},
		{Go, "\"open\nx", "t(\"open) w(x)"},
		{Go, `"a\"b" 1.5e3 0x1F ä`, `t("a\"b") n(1.5e3) n(0x1F) w(ä)`},
		{Python, "x = '''a\n# b''' # c", "w(x) m(=) t('''a\n# b''') c(# c)"},
		{Python, `rb"\n" f'{x}' fx`, `t(rb"\n") t(f'{x}') w(fx)`},
		{TypeScript, "a = /it('x')/g; b = c / d / e", `w(a) m(=) t(/it('x')/g) m(;) w(b) m(=) w(c) m(/) w(d) m(/) w(e)`},
		{TypeScript, "`a ${f(`b ${c} }`)} d` e", "t(`a ${f(`b ${c} }`)} d`) w(e)"},
		{TypeScript, "return /[/]\\//.test(x)", `w(return) t(/[/]\//) m(.) w(test) m(() w(x) m())`},
		{Rust, `'a' 'a x: &'static str r#"q"q"# b"x" '\n' /* a /* b */ c */ z`,
			`t('a') m(') w(a) w(x) m(:) m(&) m(') w(static) w(str) t(r#"q"q"#) t(b"x") t('\n') c(/* a /* b */ c */) w(z)`},
		{Java, "\"\"\"\n @Test \"x\" \"\"\" 'c' // d", "t(\"\"\"\n @Test \"x\" \"\"\") t('c') c(// d)"},
		{CSharp, `@"a""b\" $"{x}" """a"b""" 'x'`, `t(@"a""b\") t($"{x}") t("""a"b""") t('x')`},
		{CSharp, "a\n#if false\n[x]\n# if DEBUG\n#endif\n#else\nb\n#endif", "w(a) c(#if false\n[x]\n# if DEBUG\n#endif\n) m(#) w(else) w(b) m(#) w(endif)"},
		{CSharp, "x #if false\na\n/* c */ #if false\nb /*\n*/ #if false\n@\"\n\" #if false\nc", "w(x) m(#) w(if) w(false) w(a) c(/* c */) m(#) w(if) " +
			"w(false) w(b) c(/*\n*/) m(#) w(if) w(false) t(@\"\n\") m(#) w(if) w(false) w(c)"},
		{CSharp, "\ufeff#if false\na\n#endif\n \t#if false\nb\n#endif", "m(\ufeff) c(#if false\na\n) m(#) w(endif) c(#if false\nb\n) m(#) w(endif)"},
		{PHP, "<?php // a ? b\r\n# c?? > ?> d", "c(<?php) c(// a ? b) c(# c?? > ) c(?> d)"},
		{CSharp, "#if falsely\na\n#endif\n#if false", "m(#) w(if) w(falsely) w(a) m(#) w(endif) c(#if false)"},
		{Ruby, `"a #{b["c"]} d" 'x' # e`, `t("a #{b["c"]} d") t('x') c(# e)`},
		{Ruby, "x = <<~EOS + y\n  it 'a'\nEOS\nz", "w(x) m(=) m(<) m(<) m(~) w(EOS) m(+) w(y) t(  it 'a'\nEOS) w(z)"},
		{Ruby, "%w[a b] a / b %q(x(y)) empty? /re/i", `t(%w[a b]) w(a) m(/) w(b) t(%q(x(y))) w(empty?) t(/re/i)`},
		{PHP, "<b>\n<?php\n$a->b(X::class, $c?->d); ?>\n<i>#[x]</i> <?= $e ?>", `c(<b>
<?php) w($a) m(->) w(b) m(() w(X) m(::) w(class) m(,) w($c) m(?) m(->) w(d) m()) m(;) c(?>
<i>#[x]</i> <?=) w($e) c(?>)`},
		{PHP, "<?php #[Test] # no\n// no ?> x <?php\n'a\\'b' \"{$a[\"b\"]} $c\" /* it('x') */ $$d $ 1.5",
			`c(<?php) m(#) m([) w(Test) m(]) c(# no) c(// no ) c(?> x <?php) t('a\'b') t("{$a["b"]} $c") c(/* it('x') */) ` +
				`m($) w($d) m($) n(1.5)`},
		{PHP, "<?php f(<<<EOT\n  EOTs \"\n  EOT, <<<'X'\nX1\nX); 1 <<< 2", "c(<?php) w(f) m(() t(<<<EOT\n  EOTs \"\n  EOT) m(,) " +
			"t(<<<'X'\nX1\nX) m()) m(;) n(1) m(<) m(<) m(<) n(2)"},
		{TypeScript, "if (a) {\n}\n/it(/.test(b) }/2", "w(if) m(() w(a) m()) m({) m(}) t(/it(/) m(.) w(test) m(() w(b) m()) m(}) m(/) n(2)"},
		{JSON, `{"a": 1} // b`, `m({) t("a") m(:) n(1) m(}) c(// b)`},
		{Kotlin, `'a' "b" """c"d""" /* e /* f */ g */ h`, `t('a') t("b") t("""c"d""") c(/* e /* f */ g */) w(h)`},
		{SQL, "INSERT 'it''s; \n' \"a\"\"\\\" -- b\n/* c */ d", "w(INSERT) t('it''s; \n') t(\"a\"\"\\\") c(-- b) c(/* c */) w(d)"},
		{TOML, "a-b = \"\"\"c\n# d\"\"\" # e", "w(a-b) m(=) t(\"\"\"c\n# d\"\"\") c(# e)"},
		{Ruby, "=begin\nit\n=end\nx ?a", "c(=begin\nit\n=end) w(x) m(?) w(a)"},
	} {
		if got := shown(c.lang, c.src); got != c.want {
			t.Errorf("%s %q:\n got %s\nwant %s", c.lang, c.src, got, c.want)
		}
	}
}

func TestValue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lang      Language
		src, want string
	}{
		{Go, `"a b"`, "a b"}, {Go, "`x`", "x"}, {Python, `"""doc"""`, "doc"}, {Python, `rb'x'`, "x"},
		{Rust, `r#"x"#`, "x"}, {CSharp, `@"x"`, "x"}, {TypeScript, "`x`", "x"},
	} {
		if got := Lex(c.lang, []byte(c.src))[0].Value(); got != c.want {
			t.Errorf("%s: %q", c.src, got)
		}
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	for _, p := range []string{"a_test.go", "x/test_a.py", "x/a_test.py", "a.test.ts", "src/a.spec.jsx", "__tests__/a.js", "tests/a.mjs",
		"src/test/java/A.java", "FooTest.java", "src/FooTest.php", "src/FooTestCase.php", "tests/Unit/foo.php", "spec/a_spec.rb", "test/test_a.rb", "src/lib.rs", "A.cs"} {
		if !IsTest(p) {
			t.Errorf("%s contains tests", p)
		}
	}
	for _, p := range []string{"a.go", "testdata/a_test.go", "_x/a_test.go", "a_test.go.bak", "tests/helpers.py", "a.ts", "src/main/java/A.java", "a.rb", "src/Foo.php", "src/Testing.php", "a.txt"} {
		if IsTest(p) {
			t.Errorf("%s contains no tests", p)
		}
	}
	for _, p := range []string{"x/testdata/k.pem", "tests/data.json", "a_test.go", "App.Tests/FooTests.cs", "src/parser_tests.rs", "conftest.py"} {
		if !IsForTests(p) {
			t.Errorf("%s is for tests", p)
		}
	}
	for _, p := range []string{"src/lib.rs", "App/Foo.cs", "a.go", "latest/a.go"} {
		if IsForTests(p) {
			t.Errorf("%s is not for tests", p)
		}
	}
}

func TestGenerated(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"go.sum": true, "web/package-lock.json": true, "Cargo.lock": true, "a.min.js": true, "api/x.pb.go": true,
		"vendor/a/b.go": true, "a/node_modules/b": true, "dist/x": true, "zz_generated.deepcopy.go": true, "t/__snapshots__/a": true,
		"go.mod": false, "distance/x": false, "a.js": false, "lock": false, "vendor": false, "dist": false, "min.js.txt": false,
	} {
		if IsGenerated(path) != want {
			t.Errorf("%s: generated is %v", path, !want)
		}
	}
}

// FuzzLex: every token is at its position, tokens do not overlap, and only white space is between
// them.
func FuzzLex(f *testing.F) {
	all := []Language{None, Go, Python, JavaScript, TypeScript, Rust, Java, Ruby, CSharp, PHP, TSX, JSX, JSON, Kotlin, SQL, TOML}
	for i := range all {
		f.Add(byte(i), []byte("a = \"x\" /* c */ 'y' # z\n`${`}` /re/ <<~EOS, <<B\n x\nEOS\n\ny\nB\nr#\"\"# @\"\" \"\"\"\n%w[a ä\xff"))
		f.Add(byte(i), []byte("a\n<?php $a->b::c(\"{$x[\"\"]}\", <<<'X'\n X\n); #[A] # b ?>\n<?= ?> x"))
	}
	f.Fuzz(func(t *testing.T, which byte, src []byte) {
		l := all[int(which)%len(all)]
		lines := strings.Split(string(src), "\n")
		starts := make([]int, len(lines))
		for i := 1; i < len(lines); i++ {
			starts[i] = starts[i-1] + len(lines[i-1]) + 1
		}
		at := 0
		for _, tok := range Lex(l, src) {
			if tok.Text == "" || tok.Line > len(lines) {
				t.Fatalf("%q at line %d", tok.Text, tok.Line)
			}
			off := starts[tok.Line-1] + tok.Col
			if off < at || string(src[off:off+len(tok.Text)]) != tok.Text {
				t.Fatalf("%q is not at %d:%d", tok.Text, tok.Line, tok.Col)
			}
			if strings.Trim(string(src[at:off]), " \t\r\n\f\v") != "" {
				t.Fatalf("%q is in no token", src[at:off])
			}
			if tok.End != tok.Line+strings.Count(tok.Text, "\n") {
				t.Fatalf("%q ends on line %d", tok.Text, tok.End)
			}
			tok.Value()
			at = off + len(tok.Text)
		}
		if strings.Trim(string(src[at:]), " \t\r\n\f\v") != "" {
			t.Fatalf("%q is in no token", src[at:])
		}
	})
}

func BenchmarkLexGo(b *testing.B) {
	src := []byte(strings.Repeat("func TestX(t *testing.T) {\n\tif got := f(\"a\"); got != 1 { // no\n\t\tt.Fatalf(\"%d\", got)\n\t}\n}\n", 2000))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Lex(Go, src)
	}
}
