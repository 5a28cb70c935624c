package machine

// LockClone is what each activity does first.
var LockClone = (*Machine).lockClone
