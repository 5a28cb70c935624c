// Package states makes repositories in the states that people's repositories are in, spoils them as an agent
// may, and reads a whole state for comparison, with none of the code under test. Only tests import it.
package states
