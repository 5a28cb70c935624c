package belay

// It never touches a file, a process, the clock or the network, so every other
// package may import it and its rules are tested in microseconds. What a word
// means is written once, in docs/glossary.md.
