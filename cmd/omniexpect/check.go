package main

func checkCommand(args []string) int { return 0 }
