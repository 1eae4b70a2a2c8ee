// Package sqlite reads SQLite databases without changing them.
//
// Query opens a database, runs one statement and closes it again. The database, its journals and its folder stay as they
// are; what matters for that is how the file is opened:
//
//	no write-ahead log in use, none in the folder   read-only; if the file is in WAL mode, as immutable, for SQLite would
//	                                                create the log and its index otherwise
//	a log with its index                            read-only together with the processes that have it open
//	a log without its index, a hot journal          left by a crash: recovered in a copy
//
// Only the locks of the file system are shared with other processes, and in WAL mode the index (FILE-shm), which every
// reader marks.
//
// The engine is a translation of SQLite to Go that costs nothing until a database is opened.
package sqlite
