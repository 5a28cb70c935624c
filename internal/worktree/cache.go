package worktree

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
	"strings"
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
	cacheLimit = 4 << 30
)

// The flags of a record.
const (
	flagTracked = 1 << iota // in the user's index
	flagBelow               // a folder with tracked files below it
	flagGitlink             // a submodule's folder
	flagTrusted             // an equal stat means equal bytes
	flagKnown               // flagIgnored is an answer, valid for the folder's rules
	flagIgnored
	flagMissing // in the index but not on disk
	flagSeed    // in memory only: the OID is trusted when git's record matches

	flagsKept = flagTracked | flagBelow | flagGitlink
	flagsAsk  = flagKnown | flagIgnored
)

// ruleID stands for everything that decides what is ignored in a folder.
type ruleID [16]byte

// cache is what an earlier scan knew. It is read in place: nothing is unpacked
// before it is looked at.
type cache struct {
	text                    string // the whole file
	hashLen, recSize        int
	nFolders, nRecords      int
	folders, records, names int // where the tables start
	root, key               string
	dev, ino                uint64
	seeds                   []*Stat // by the inode of a record with flagSeed
	seedLimit               int64
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// readCache gives nil for a cache that is absent or cannot be trusted.
func readCache(path string) *cache {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > cacheLimit || info.Size() < headerSize+4 {
		return nil
	}
	var text strings.Builder
	text.Grow(int(info.Size()))
	sum, buf := uint32(0), make([]byte, 256<<10)
	for left := info.Size(); left > 0; {
		n, err := io.ReadFull(f, buf[:min(left, int64(len(buf)))])
		if err != nil {
			return nil
		}
		left -= int64(n)
		part := buf[:n]
		text.Write(part)
		if left < 4 { // the checksum itself is not summed, even when cut in two
			part = part[:max(0, n-int(4-left))]
		}
		sum = crc32.Update(sum, castagnoli, part)
	}
	return parseCache(text.String(), sum)
}

// parseCache looks at every number once, so that nothing later can point outside.
func parseCache(text string, sum uint32) *cache {
	if len(text) < headerSize+4 || text[:8] != magic || u32(text, len(text)-4) != sum {
		return nil
	}
	c := &cache{text: text, hashLen: int(u32(text, 8)), nFolders: int(u32(text, 12)), nRecords: int(u32(text, 16))}
	nNames, nRoot, nKey := int(u32(text, 20)), int(u32(text, 24)), int(u32(text, 28))
	c.dev, c.ino = u64(text, 32), u64(text, 40)
	if c.hashLen != 20 && c.hashLen != 32 || c.nFolders == 0 {
		return nil
	}
	c.recSize = recordHead + c.hashLen
	c.folders = headerSize + nRoot + nKey
	c.records = c.folders + c.nFolders*folderSize
	c.names = c.records + c.nRecords*c.recSize
	if c.names+nNames+4 != len(text) {
		return nil
	}
	c.root, c.key = text[headerSize:headerSize+nRoot], text[headerSize+nRoot:c.folders]
	if !c.sound(nNames) {
		return nil
	}
	return c
}

func (c *cache) sound(nNames int) bool {
	children := 0
	for i := range c.nFolders {
		first, end := c.span(i)
		base := c.base(i)
		if i == 0 && first != 0 || first > end || end > c.nRecords || base > nNames {
			return false
		}
		for r := first; r < end; r++ {
			o := c.at(r)
			if base+int(u32(c.text, o))+int(u16(c.text, o+4)) > nNames || u16(c.text, o+4) == 0 {
				return false
			}
			child := int(u32(c.text, o+8))
			if child == 0 {
				continue
			}
			// Children are numbered in the order in which they are named, so each
			// has one parent and no folder contains itself.
			if children++; child != children || child <= i || child >= c.nFolders || c.text[o+6] == 0 {
				return false
			}
		}
	}
	return children == c.nFolders-1
}

// span gives the records of a folder: from first up to, not including, end.
func (c *cache) span(folder int) (first, end int) {
	o := c.folders + folder*folderSize
	if folder+1 == c.nFolders {
		return int(u32(c.text, o)), c.nRecords
	}
	return int(u32(c.text, o)), int(u32(c.text, o+folderSize))
}

func (c *cache) base(folder int) int { return int(u32(c.text, c.folders+folder*folderSize+4)) }

func (c *cache) rules(folder int) (id ruleID) {
	o := c.folders + folder*folderSize + 8
	copy(id[:], c.text[o:o+len(id)])
	return id
}

func (c *cache) at(rec int) int { return c.records + rec*c.recSize }

// name gives the name of a record of a folder whose names start at base.
func (c *cache) name(base, rec int) (string, bool) {
	o := c.at(rec)
	from := c.names + base + int(u32(c.text, o))
	return c.text[from : from+int(u16(c.text, o+4))], c.text[o+6] != 0
}

func (c *cache) flags(rec int) uint8 { return c.text[c.at(rec)+7] }

// child gives the folder of a record, 0 when it was not entered.
func (c *cache) child(rec int) int { return int(u32(c.text, c.at(rec)+8)) }

func (c *cache) facts(rec int) facts {
	o := c.at(rec)
	return facts{
		mode: u32(c.text, o+12), size: int64(u64(c.text, o+16)), mtime: int64(u64(c.text, o+24)),
		ctime: int64(u64(c.text, o+32)), ino: u64(c.text, o+40), dev: u64(c.text, o+48),
	}
}

func (c *cache) oid(rec int) OID {
	o := c.at(rec) + recordHead
	return OID(c.text[o : o+c.hashLen])
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

// builder writes the tables of a cache, folder after folder.
type builder struct {
	hashLen                 int
	folders, records, names []byte
	base, nFolders          int
}

// folder starts the next folder; add then appends its records in order.
func (b *builder) folder(rules ruleID) {
	b.base = len(b.names)
	b.nFolders++
	b.folders = binary.LittleEndian.AppendUint32(b.folders, uint32(len(b.records)/(recordHead+b.hashLen)))
	b.folders = binary.LittleEndian.AppendUint32(b.folders, uint32(b.base))
	b.folders = append(b.folders, rules[:]...)
}

func (b *builder) add(name string, folder bool, flags uint8, child int, f facts, oid OID) {
	le, r := binary.LittleEndian, b.records
	r = le.AppendUint32(r, uint32(len(b.names)-b.base))
	r = le.AppendUint16(r, uint16(len(name)))
	kind := uint8(0)
	if folder {
		kind = 1
	}
	r = append(r, kind, flags)
	r = le.AppendUint32(r, uint32(child))
	r = le.AppendUint32(r, f.mode)
	r = le.AppendUint64(r, uint64(f.size))
	r = le.AppendUint64(r, uint64(f.mtime))
	r = le.AppendUint64(r, uint64(f.ctime))
	r = le.AppendUint64(r, f.ino)
	r = le.AppendUint64(r, f.dev)
	r = append(r, oid...)
	for range b.hashLen - len(oid) {
		r = append(r, 0)
	}
	b.records = r
	b.names = append(b.names, name...)
}

// grow makes room for about as much as the cache c holds.
func (b *builder) grow(c *cache) {
	if c != nil {
		b.folders = make([]byte, 0, c.records-c.folders+folderSize)
		b.records = make([]byte, 0, (c.names-c.records)*17/16)
		b.names = make([]byte, 0, (len(c.text)-c.names)*17/16)
	}
}

// parts gives the file in pieces, the last of which is the checksum.
func (b *builder) parts(root, key string, dev, ino uint64) (parts [][]byte, sum uint32) {
	le := binary.LittleEndian
	head := []byte(magic)
	for _, n := range []int{b.hashLen, b.nFolders, len(b.records) / (recordHead + b.hashLen), len(b.names), len(root), len(key)} {
		head = le.AppendUint32(head, uint32(n))
	}
	head = le.AppendUint64(le.AppendUint64(head, dev), ino)
	head = append(append(head, root...), key...)
	parts = [][]byte{head, b.folders, b.records, b.names}
	for _, p := range parts {
		sum = crc32.Update(sum, castagnoli, p)
	}
	return append(parts, le.AppendUint32(nil, sum)), sum
}
