package journal

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
)

// head remembers outside the stream how far it had come: the last block's
// offset and the writer's number. It is written after each block without
// fsync, which survives the end of the process at any point, and tells at the
// next start whether the end of the stream was lost.
type head struct {
	file *os.File
}

const headSize = 20

func openHead(dir string) (*head, error) {
	f, err := os.OpenFile(filepath.Join(dir, "head"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &head{file: f}, nil
}

// read returns zeros when nothing readable is there: head is a second witness,
// not needed to go on.
func (h *head) read() (offset, seq uint64) {
	var buf [headSize]byte
	if n, _ := h.file.ReadAt(buf[:], 0); n != headSize {
		return 0, 0
	}
	if crc32.Checksum(buf[:16], castagnoli) != binary.LittleEndian.Uint32(buf[16:]) {
		return 0, 0
	}
	return binary.LittleEndian.Uint64(buf[:]), binary.LittleEndian.Uint64(buf[8:])
}

func (h *head) write(offset, seq uint64) error {
	var buf [headSize]byte
	binary.LittleEndian.PutUint64(buf[:], offset)
	binary.LittleEndian.PutUint64(buf[8:], seq)
	binary.LittleEndian.PutUint32(buf[16:], crc32.Checksum(buf[:16], castagnoli))
	_, err := h.file.WriteAt(buf[:], 0)
	return err
}
