// Package testutil has what tests of several packages share: test cases in files with golden
// results, tests that run without root, repositories in all kinds of states, the damage that agents
// do, and reading a whole state for comparison without the code under test. Only tests import it.
package testutil
