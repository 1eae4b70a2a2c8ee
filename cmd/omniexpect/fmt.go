package main

func fmtCommand(args []string) int { return 0 }
