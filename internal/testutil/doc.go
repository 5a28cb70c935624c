// Package testutil is what tests of several packages share: cases in files beside their results; tests without the
// rights of root; repositories in the states that people's repositories are in, spoiled as an agent may, and a whole
// state read for comparison, with none of the code under test. Only tests import it.
package testutil
