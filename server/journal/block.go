package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// Kind says what a record's payload is. The journal does not look into it.
type Kind uint8

// The kinds of records. Their numbers are on disk: never reuse one.
const (
	// KindTraces is an OTLP ExportTraceServiceRequest in protobuf.
	KindTraces Kind = 1
	// KindLogs is an OTLP ExportLogsServiceRequest in protobuf.
	KindLogs Kind = 2
	// KindLoss is a Loss in JSON, written when the journal is opened and the
	// newest blocks are found missing.
	KindLoss Kind = 3
)

// Record is one thing in a block. The payload is the caller's no longer once
// it is handed to Append.
type Record struct {
	Kind    Kind
	Payload []byte
	// Value is Payload decoded, if the caller has it: it is carried to
	// Config.OnBlock, so that nothing is decoded twice, and not stored. It is
	// nil after a replay.
	Value any
}

// Block is one entry of the stream.
type Block struct {
	// Offset is the block's position in the stream, from 1.
	Offset uint64
	// Seq is the writer's own number, without holes.
	Seq uint64
	// At is when the hub received it, in microseconds since the epoch. It
	// never goes back, and goes on when the machine's clock was set back.
	At      int64
	Records []Record
	// Err is nil for a good block. Otherwise the block is damaged or missing,
	// Offset is all that is known, and the error says why.
	Err error
}

// ErrCorrupt is wrapped by Block.Err when what is stored is not what was
// written.
var ErrCorrupt = errors.New("corrupt block")

// A block on disk, little endian: version, three zero bytes, CRC-32C of all
// that follows it, seq, at, count; then for each record kind, length, payload.
const (
	blockVersion = 1
	headerSize   = 4 + 4 + 8 + 8 + 4
	recordHeader = 1 + 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func blockSize(records []Record) int {
	n := headerSize
	for _, r := range records {
		n += recordHeader + len(r.Payload)
	}
	return n
}

func encodeBlock(seq uint64, at int64, records []Record) []byte {
	buf := make([]byte, headerSize, blockSize(records))
	buf[0] = blockVersion
	binary.LittleEndian.PutUint64(buf[8:], seq)
	binary.LittleEndian.PutUint64(buf[16:], uint64(at))
	binary.LittleEndian.PutUint32(buf[24:], uint32(len(records)))
	for _, r := range records {
		buf = append(buf, byte(r.Kind))
		buf = binary.LittleEndian.AppendUint32(buf, uint32(len(r.Payload)))
		buf = append(buf, r.Payload...)
	}
	binary.LittleEndian.PutUint32(buf[4:], crc32.Checksum(buf[8:], castagnoli))
	return buf
}

// decodeBlock reads what encodeBlock wrote. The records share buf's memory.
func decodeBlock(buf []byte) (Block, error) {
	if len(buf) < headerSize {
		return Block{}, fmt.Errorf("%w: %d bytes are fewer than a header", ErrCorrupt, len(buf))
	}
	if want, got := binary.LittleEndian.Uint32(buf[4:]), crc32.Checksum(buf[8:], castagnoli); want != got {
		return Block{}, fmt.Errorf("%w: checksum is %08x, stored was %08x", ErrCorrupt, got, want)
	}
	if buf[0] != blockVersion {
		return Block{}, fmt.Errorf("%w: version %d, this hub reads version %d: use the version that wrote it",
			ErrCorrupt, buf[0], blockVersion)
	}
	b := Block{
		Seq: binary.LittleEndian.Uint64(buf[8:]),
		At:  int64(binary.LittleEndian.Uint64(buf[16:])),
	}
	var err error
	b.Records, err = decodeRecords(buf[headerSize:], int(binary.LittleEndian.Uint32(buf[24:])))
	return b, err
}

func decodeRecords(buf []byte, count int) ([]Record, error) {
	if count > len(buf)/recordHeader {
		return nil, fmt.Errorf("%w: %d records do not fit into %d bytes", ErrCorrupt, count, len(buf))
	}
	records := make([]Record, 0, count)
	for range count {
		if len(buf) < recordHeader {
			return nil, fmt.Errorf("%w: a record's header is cut off", ErrCorrupt)
		}
		n := binary.LittleEndian.Uint32(buf[1:])
		if uint64(n) > uint64(len(buf)-recordHeader) {
			return nil, fmt.Errorf("%w: a record of %d bytes is cut off", ErrCorrupt, n)
		}
		end := recordHeader + int(n)
		records = append(records, Record{Kind: Kind(buf[0]), Payload: buf[recordHeader:end:end]})
		buf = buf[end:]
	}
	if len(buf) != 0 {
		return nil, fmt.Errorf("%w: %d bytes follow the last record", ErrCorrupt, len(buf))
	}
	return records, nil
}
