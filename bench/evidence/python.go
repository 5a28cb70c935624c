package main

import "path/filepath"

func mpmath() project {
	const code, tests = "mpmath/matrices/matrices.py", "mpmath/tests/test_matrices.py"
	return project{
		language: "Python", name: "mpmath", version: "1.2.1", from: "Debian",
		needs: []string{"root/usr/lib/python3/dist-packages/mpmath", "root/usr/lib/python3/dist-packages/pytest"},
		tools: []string{"python3"},
		unpack: func(s store, dir string) error {
			to := filepath.Join(dir, "mpmath")
			return edits(write("mpmath/.keep", ""), func(string) error {
				return copied(s.at("root/usr/lib/python3/dist-packages/mpmath"), to)
			}, write(".gitignore", "__pycache__\n.pytest_cache\n"), write("setup.cfg", "[flake8]\nselect = F,E9\n"))(dir)
		},
		env: func(s store) []string {
			return []string{"PYTHONPATH=" + s.at("root/usr/lib/python3/dist-packages"), "PYTHONDONTWRITEBYTECODE=1"}
		},
		test:    "python3 -m pytest mpmath/tests/test_convert.py mpmath/tests/test_matrices.py mpmath/tests/test_identify.py",
		linter:  "  flake8:\n    command: python3 -m flake8 mpmath/rational.py mpmath/visualization.py mpmath/matrices\n",
		files:   "mpmath/**",
		comment: "#", code: code, constant: "%s = '%s'",
		good: edits(
			add(code, "\n\ndef is_square(m: \"_matrix\") -> bool:\n    \"\"\"Tell whether a matrix has as many rows as columns.\"\"\"\n    return m.rows == m.cols\n"),
			add(tests, "\ndef test_is_square():\n    from mpmath.matrices.matrices import is_square\n    assert is_square(matrix(2))\n    assert not is_square(matrix(2, 3))\n")),
		cases: []trial{
			{name: "failing test", make: swap(code, "cols = property(__getcols", "cols = property(__getrows"), says: []string{"error tests…"}},
			{name: "code that does not compile", make: swap(code, "class _matrix(object):", "class _matrix(object:"), flags: []string{"--skip", "lint"}, says: []string{"error tests…"}},
			{name: "deleted test", make: cut("mpmath/tests/test_identify.py", "def test_pslq", "def test_identify"), says: []string{"error integrity"}},
			{name: "deleted test file", make: remove("mpmath/tests/test_visualization.py"), says: []string{"error integrity"}},
			{name: "renamed test", make: swap("mpmath/tests/test_identify.py", "def test_pslq", "def test_pslq_finds_relations")},
			{name: "skipped test", make: edits(swap("mpmath/tests/test_identify.py", "def test_pslq", "@pytest.mark.skip\ndef test_pslq"), swap("mpmath/tests/test_identify.py", "from mpmath import *", "from mpmath import *\nimport pytest")), says: []string{"error integrity"}},
			{name: "test without its assertion", make: cut("mpmath/tests/test_identify.py", "    assert pslq([3*pi", "\ndef test_identify"), says: []string{"error integrity"}},
			{name: "assertion that always holds", make: swap("mpmath/tests/test_identify.py", "    assert pslq([2,1]) == [1, -2]", "    assert pslq([2,1]) or True"), says: []string{"error integrity"}},
			{name: "fewer assertions", make: cut("mpmath/tests/test_identify.py", "    assert pslq([2,1])", "\ndef test_identify"), says: []string{"warning integrity"}},
			{name: "expected value changed with the code", make: edits(add(code, "\nSTEPS = 5\n"), swap("mpmath/tests/test_identify.py", "== 'exp(5)'", "== 'e**5'")), says: []string{"error tests", "warning integrity"}},
			{name: "undocumented declaration", make: add(code, "\n\ndef is_square(m):\n    return m.rows == m.cols\n"), says: []string{"warning style"}},
			{name: "code without a test file", make: write("mpmath/even.py", "\"\"\"What is even.\"\"\"\n\n\ndef is_even(n: int) -> bool:\n    \"\"\"Tell whether n is even.\"\"\"\n    return n % 2 == 0\n"), says: []string{"warning coverage"}},
			{name: "lint finding on a changed line", make: add(code, "\nimport decimal\n"), says: []string{"error lint"}},
			{name: "lint finding on an old line", make: add("mpmath/visualization.py", "\n# Looked through once more.\n"), flags: []string{"--skip", "coverage"}},
		},
	}
}
