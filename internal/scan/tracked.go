package scan

import (
	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fsroot"
)

// Tracked is a path of the user's index.
type Tracked struct {
	Path    string
	OID     fsroot.OID // from the index; used only together with Seed
	Gitlink bool       // a submodule
	Seed    *Stat      // nil unless equal stat data means that the raw bytes hash to OID
}

// Stat is the stat data of a file in git's index: times, and the low 32 bits of everything else.
// Mode is the git mode of the entry.
type Stat struct {
	MtimeSec, CtimeSec                                   int64
	MtimeNsec, CtimeNsec, Dev, Ino, Uid, Gid, Mode, Size uint32
}

// matches compares a stat with git's index, in the 32 bits that it stores. A racy entry has size 0
// in the index and never matches, as git intends.
func (s *Stat) matches(st *unix.Stat_t) bool {
	sameType := s.Mode&unix.S_IFMT == uint32(st.Mode)&unix.S_IFMT
	sameFile := s.Ino == uint32(st.Ino) && s.Dev == uint32(st.Dev)
	sameOwner := s.Uid == st.Uid && s.Gid == st.Gid
	return sameType && sameFile && sameOwner && s.Size == uint32(st.Size) && s.hasSameTimes(st)
}

func (s *Stat) hasSameTimes(st *unix.Stat_t) bool {
	modified := uint32(s.MtimeSec) == uint32(st.Mtim.Sec) && s.MtimeNsec == uint32(st.Mtim.Nsec)
	return modified && uint32(s.CtimeSec) == uint32(st.Ctim.Sec) && s.CtimeNsec == uint32(st.Ctim.Nsec)
}
