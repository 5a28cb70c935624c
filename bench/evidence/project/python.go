package project

import "path/filepath"

func mpmath() Project {
	const code, tests = "mpmath/matrices/matrices.py", "mpmath/tests/test_matrices.py"
	return Project{
		Language: "Python", Name: "mpmath", Version: "1.2.1", From: "Debian",
		Needs: []string{"root/usr/lib/python3/dist-packages/mpmath", "root/usr/lib/python3/dist-packages/pytest"},
		Tools: []string{"python3"},
		Unpack: func(s Store, dir string) error {
			to := filepath.Join(dir, "mpmath")
			return Edits(Write("mpmath/.keep", ""), func(string) error {
				return copied(s.At("root/usr/lib/python3/dist-packages/mpmath"), to)
			}, Write(".gitignore", "__pycache__\n.pytest_cache\n"), Write("setup.cfg", "[flake8]\nselect = F,E9\n"))(dir)
		},
		Env: func(s Store) []string {
			return []string{"PYTHONPATH=" + s.At("root/usr/lib/python3/dist-packages"), "PYTHONDONTWRITEBYTECODE=1"}
		},
		Test:    "python3 -m pytest mpmath/tests/test_convert.py mpmath/tests/test_matrices.py mpmath/tests/test_identify.py",
		Linter:  "  flake8:\n    command: python3 -m flake8 mpmath/rational.py mpmath/visualization.py mpmath/matrices\n",
		Files:   "mpmath/**",
		Comment: "#", Code: code, Constant: "%s = '%s'",
		Good: Edits(
			Add(code, "\n\ndef is_square(m: \"_matrix\") -> bool:\n"+
				"    \"\"\"Tell whether a matrix has as many rows as columns.\"\"\"\n    return m.rows == m.cols\n"),
			Add(tests, "\ndef test_is_square():\n    from mpmath.matrices.matrices import is_square\n"+
				"    assert is_square(matrix(2))\n    assert not is_square(matrix(2, 3))\n")),
		Cases: []Trial{
			{Name: "failing test", Make: swap(code, "cols = property(__getcols", "cols = property(__getrows"),
				Says: []string{"error tests…"}},
			{Name: "code that does not compile", Make: swap(code, "class _matrix(object):", "class _matrix(object:"),
				Flags: []string{"--skip", "lint"}, Says: []string{"error tests…"}},
			{Name: "deleted test", Make: cut("mpmath/tests/test_identify.py", "def test_pslq", "def test_identify"),
				Says: []string{"question integrity"}},
			{Name: "deleted test file", Make: remove("mpmath/tests/test_visualization.py"), Says: []string{"question integrity"}},
			{Name: "renamed test", Make: swap("mpmath/tests/test_identify.py", "def test_pslq", "def test_pslq_finds_relations")},
			{Name: "skipped test", Make: Edits(swap("mpmath/tests/test_identify.py", "def test_pslq",
				"@pytest.mark.skip\ndef test_pslq"),
				swap("mpmath/tests/test_identify.py", "from mpmath import *", "from mpmath import *\nimport pytest")),
				Says: []string{"error integrity"}},
			{Name: "test without its assertion",
				Make: cut("mpmath/tests/test_identify.py", "    assert pslq([3*pi", "\ndef test_identify"),
				Says: []string{"error integrity"}},
			{Name: "assertion that always holds",
				Make: swap("mpmath/tests/test_identify.py", "    assert pslq([2,1]) == [1, -2]",
					"    assert pslq([2,1]) or True"), Says: []string{"error integrity"}},
			{Name: "assertion with its failure caught",
				Make: swap("mpmath/tests/test_identify.py", "    assert pslq([2,1]) == [1, -2]",
					"    try:\n        assert pslq([2,1]) == [1, -2]\n    except AssertionError:\n        pass"),
				Says: []string{"error integrity"}},
			{Name: "fewer assertions", Make: cut("mpmath/tests/test_identify.py", "    assert pslq([2,1])",
				"\ndef test_identify"), Says: []string{"warning integrity"}},
			{Name: "expected value changed with the code",
				Make: Edits(Add(code, "\nSTEPS = 5\n"),
					swap("mpmath/tests/test_identify.py", "== 'exp(5)'", "== 'e**5'")), Says: []string{"error tests", "warning integrity"}},
			{Name: "undocumented declaration", Make: Add(code, "\n\ndef is_square(m):\n    return m.rows == m.cols\n"),
				Says: []string{"warning style"}},
			{Name: "code without a test file",
				Make: Write("mpmath/even.py", "\"\"\"What is even.\"\"\"\n\n\ndef is_even(n: int) -> bool:\n"+
					"    \"\"\"Tell whether n is even.\"\"\"\n    return n % 2 == 0\n"), Says: []string{"warning coverage"}},
			{Name: "lint finding on a changed line", Make: Add(code, "\nimport decimal\n"), Says: []string{"error lint"}},
			{Name: "lint finding on an old line",
				Make: Add("mpmath/visualization.py", "\n# Looked through once more.\n"), Flags: []string{"--skip", "coverage"}},
		},
	}
}
