// Package git runs git, and reads what git keeps in files: index, refs, packs, config and state. Whatever a
// git process would read is looked at first, so that none waits for a FIFO or follows a link. Packs of
// belay's own are kept where no gc takes them.
package git
