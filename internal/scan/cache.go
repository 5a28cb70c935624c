package scan

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fsroot"
)

// The cache file, version 1, all numbers little endian:
//
//	magic    8 bytes, the last one is the version
//	header   u32 hash length, folders, records, bytes of names, bytes of root, bytes of key
//	         u64 device and inode of the root
//	root     the path that was scanned, then the TrackedKey
//	folders  u32 first record, u32 first byte of names, 16 bytes rule id
//	records  u32 name (from the folder's first byte), u16 its length, u8 is a folder, u8 flags
//	         u32 child folder (0 is none), u32 mode, i64 size, mtime, ctime, u64 inode, device, OID
//	names    without separators
//	crc32c   of everything before, u32
//
// Folder 0 is the root, and a child comes after its parent. The records of a folder
// are in the order of paths and end where those of the next folder start.
const (
	magic      = "blywtc\x00\x01"
	headerSize = 48
	folderSize = 24
	recordHead = 56 // before the OID
	cacheLimit = 1 << 30
)

// The flags of a record.
const (
	FlagTracked = 1 << iota // in the user's index
	FlagBelow               // a folder with tracked files below it
	FlagGitlink             // a submodule's folder
	FlagTrusted             // equal stat data means equal bytes
	FlagKnown               // FlagIgnored is set correctly for the folder's rules
	FlagIgnored
	FlagMissing // in the index but not on disk
	FlagSeed    // in memory only: the OID is trusted when git's stat data matches

	FlagsFromIndex = FlagTracked | FlagBelow | FlagGitlink
	FlagsFromRules = FlagKnown | FlagIgnored
)

// Cache is the record of an earlier scan. It is read in place, without unpacking.
type Cache struct {
	text                    string // the complete file
	HashLen, recSize        int
	nFolders, nRecords      int
	folders, records, names int // offsets of the tables
	Root, Key               string
	Dev, Ino                uint64
	seeds                   []*Stat // by the inode of a record with FlagSeed
	seedLimit               int64
}

// castagnoli is created when first used: that takes longer than many commands.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// Read reads a cache; nil when it is missing or cannot be trusted.
func Read(path string) *Cache {
	f, err := fsroot.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > cacheLimit || info.Size() < headerSize+4 {
		return nil
	}
	var head [headerSize]byte
	if _, err := f.ReadAt(head[:], 0); err != nil || sizeFromHeader(string(head[:])) != info.Size() {
		return nil // checked before memory is allocated
	}
	all := fsroot.MakeLarge[byte](int(info.Size()))
	summed, sum := len(all)-4, uint32(0) // the checksum itself is not included
	for at := 0; at < len(all); {
		n, err := io.ReadFull(f, all[at:min(at+256<<10, len(all))]) // sum each part while it is in the processor's cache
		if err != nil {
			return nil
		}
		sum = crc32.Update(sum, castagnoli(), all[min(at, summed):min(at+n, summed)])
		at += n
	}
	return parseCache(fsroot.StringOf(all), sum)
}

// sizeFromHeader returns the size of a cache according to its header, -1 for an invalid one.
func sizeFromHeader(head string) int64 {
	hash := int64(u32(head, 8))
	if head[:8] != magic || hash != 20 && hash != 32 {
		return -1
	}
	tables := int64(u32(head, 12))*folderSize + int64(u32(head, 16))*(recordHead+hash)
	return headerSize + int64(u32(head, 24)) + int64(u32(head, 28)) + tables + int64(u32(head, 20)) + 4
}

// parseCache checks every number once, so that later no offset points outside.
func parseCache(text string, sum uint32) *Cache {
	if len(text) < headerSize+4 || text[:8] != magic || u32(text, len(text)-4) != sum {
		return nil
	}
	c := &Cache{text: text, HashLen: int(u32(text, 8)), nFolders: int(u32(text, 12)), nRecords: int(u32(text, 16))}
	nNames, nRoot, nKey := int(u32(text, 20)), int(u32(text, 24)), int(u32(text, 28))
	c.Dev, c.Ino = u64(text, 32), u64(text, 40)
	if c.HashLen != 20 && c.HashLen != 32 || c.nFolders == 0 {
		return nil
	}
	c.recSize = recordHead + c.HashLen
	c.folders = headerSize + nRoot + nKey
	c.records = c.folders + c.nFolders*folderSize
	c.names = c.records + c.nRecords*c.recSize
	if c.names+nNames+4 != len(text) {
		return nil
	}
	c.Root, c.Key = text[headerSize:headerSize+nRoot], text[headerSize+nRoot:c.folders]
	if !c.isValid(nNames) {
		return nil
	}
	return c
}

func (c *Cache) isValid(nNames int) bool {
	children := 0
	for i := range c.nFolders {
		first, end := c.Records(i)
		base := c.NamesStart(i)
		if i == 0 && first != 0 || first > end || end > c.nRecords || base > nNames {
			return false
		}
		for r := first; r < end; r++ {
			o := c.recordOffset(r)
			if base+int(u32(c.text, o))+int(u16(c.text, o+4)) > nNames || u16(c.text, o+4) == 0 {
				return false
			}
			child := int(u32(c.text, o+8))
			if child == 0 {
				continue
			}
			// Children are numbered in the order of their records, so each has one parent and no
			// folder contains itself.
			if children++; child != children || child <= i || child >= c.nFolders || c.text[o+6] == 0 {
				return false
			}
		}
	}
	return children == c.nFolders-1
}

// Records returns the records of a folder: from first up to, not including, end.
func (c *Cache) Records(folder int) (first, end int) {
	o := c.folders + folder*folderSize
	if folder+1 == c.nFolders {
		return int(u32(c.text, o)), c.nRecords
	}
	return int(u32(c.text, o)), int(u32(c.text, o+folderSize))
}

// NamesStart returns the offset of a folder's names.
func (c *Cache) NamesStart(folder int) int { return int(u32(c.text, c.folders+folder*folderSize+4)) }

// Rules returns the id of the rules of a folder.
func (c *Cache) Rules(folder int) (id RuleID) {
	o := c.folders + folder*folderSize + 8
	copy(id[:], c.text[o:o+len(id)])
	return id
}

func (c *Cache) recordOffset(rec int) int { return c.records + rec*c.recSize }

// Name returns the name of a record, given the start of its folder's names, and whether it is a
// folder.
func (c *Cache) Name(base, rec int) (string, bool) {
	o := c.recordOffset(rec)
	from := c.names + base + int(u32(c.text, o))
	return c.text[from : from+int(u16(c.text, o+4))], c.text[o+6] != 0
}

// Flags returns the flags of a record.
func (c *Cache) Flags(rec int) uint8 { return c.text[c.recordOffset(rec)+7] }

// Child returns the folder of a record, 0 when it was not entered.
func (c *Cache) Child(rec int) int { return int(u32(c.text, c.recordOffset(rec)+8)) }

// Facts returns the recorded stat data of a file, all zero when unknown.
func (c *Cache) Facts(rec int) fsroot.Facts {
	o := c.recordOffset(rec)
	return fsroot.Facts{
		Mode: u32(c.text, o+12), Size: int64(u64(c.text, o+16)), Mtime: int64(u64(c.text, o+24)),
		Ctime: int64(u64(c.text, o+32)), Ino: u64(c.text, o+40), Dev: u64(c.text, o+48),
	}
}

// OID returns the object name of a record, valid with FlagTrusted or FlagSeed.
func (c *Cache) OID(rec int) fsroot.OID {
	o := c.recordOffset(rec) + recordHead
	return fsroot.OID(c.text[o : o+c.HashLen])
}

// IsSeedValid reports whether, for a record with FlagSeed, the stat data in git's index match a
// file with this stat and these facts.
func (c *Cache) IsSeedValid(rec int, st *unix.Stat_t, f *fsroot.Facts) bool {
	seed := c.seeds[c.Facts(rec).Ino]
	return seed.matches(st) && f.Mtime < c.seedLimit && f.Ctime < c.seedLimit
}

func u16(s string, o int) uint16 { return uint16(s[o]) | uint16(s[o+1])<<8 }

func u32(s string, o int) uint32 {
	s = s[o : o+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func u64(s string, o int) uint64 {
	s = s[o : o+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// Builder writes the tables of a cache, folder after folder.
type Builder struct {
	HashLen                 int
	folders, records, names []byte
	base, nFolders          int
}

// StartFolder starts the next folder; Add then appends its records in order.
func (b *Builder) StartFolder(rules RuleID) {
	b.base = len(b.names)
	b.nFolders++
	b.folders = binary.LittleEndian.AppendUint32(b.folders, uint32(len(b.records)/(recordHead+b.HashLen)))
	b.folders = binary.LittleEndian.AppendUint32(b.folders, uint32(b.base))
	b.folders = append(b.folders, rules[:]...)
}

// Add appends a record; child is the number of its folder, 0 for none.
func (b *Builder) Add(name string, folder bool, flags uint8, child int, f fsroot.Facts, oid fsroot.OID) {
	le, r := binary.LittleEndian, b.records
	r = le.AppendUint32(r, uint32(len(b.names)-b.base))
	r = le.AppendUint16(r, uint16(len(name)))
	kind := uint8(0)
	if folder {
		kind = 1
	}
	r = append(r, kind, flags)
	r = le.AppendUint32(r, uint32(child))
	r = le.AppendUint32(r, f.Mode)
	r = le.AppendUint64(r, uint64(f.Size))
	r = le.AppendUint64(r, uint64(f.Mtime))
	r = le.AppendUint64(r, uint64(f.Ctime))
	r = le.AppendUint64(r, f.Ino)
	r = le.AppendUint64(r, f.Dev)
	r = append(r, oid...)
	for range b.HashLen - len(oid) {
		r = append(r, 0)
	}
	b.records = r
	b.names = append(b.names, name...)
}

// Grow allocates space for about as much as the cache c contains.
func (b *Builder) Grow(c *Cache) {
	if c != nil {
		b.allocate(c.records-c.folders+folderSize, (c.names-c.records)*17/16, (len(c.text)-c.names)*17/16)
	}
}

// growFor allocates space for a sorted list of paths.
func (b *Builder) growFor(list []Tracked) {
	folders, names, last := 1, 0, ""
	for i := range list {
		path := list[i].Path
		in := strings.LastIndexByte(path, '/') + 1
		names += len(path) - in
		if path[:in] != last {
			folders, last = folders+1, path[:in]
			names += 1 + in - strings.LastIndexByte(path[:max(in-1, 0)], '/')
		}
	}
	b.allocate(folders*folderSize, (len(list)+folders)*(recordHead+b.HashLen), names)
}

func (b *Builder) allocate(folders, records, names int) {
	b.folders, b.records, b.names = make([]byte, 0, folders), fsroot.MakeLarge[byte](records)[:0], fsroot.MakeLarge[byte](names)[:0]
}

// Parts returns the file in parts, the last of which is the checksum.
func (b *Builder) Parts(root, key string, dev, ino uint64) (parts [][]byte, sum uint32) {
	le := binary.LittleEndian
	head := []byte(magic)
	for _, n := range []int{b.HashLen, b.nFolders, len(b.records) / (recordHead + b.HashLen), len(b.names), len(root), len(key)} {
		head = le.AppendUint32(head, uint32(n))
	}
	head = le.AppendUint64(le.AppendUint64(head, dev), ino)
	head = append(append(head, root...), key...)
	parts = [][]byte{head, b.folders, b.records, b.names}
	for _, p := range parts {
		sum = crc32.Update(sum, castagnoli(), p)
	}
	return append(parts, le.AppendUint32(nil, sum)), sum
}
