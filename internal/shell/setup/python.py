# Makes a prompt object, which also runs a command as the interpreter would and notes whether it raised. It is given its
# commands by assignment, of which the interpreter shows no value, and needs no name that a command may change or that a
# file in the working directory may have. A command that prints the prompt prints another one.

def _ox():
    import builtins, sys
    path, sys.path = sys.path, [p for p in sys.path if p]
    try: import __main__, ast, io, traceback
    finally: sys.path = path
    compile, exec, open, type = builtins.compile, builtins.exec, io.open, builtins.type
    Exit, Raised, Wrong = SystemExit, BaseException, SyntaxError
    class Ox:
        n = s = busy = 0
        def __str__(self):
            if self.busy: return ">>> "
            self.flush()
            return self.write(":%d:%d> " % (self.n, self.s))
        def write(self, what):
            what = "\x1b\\" "@half1@" "@half2@" + what
            try:
                with open("/dev/tty", "w") as t: t.write(what)
            except Raised: return what
            return ""
        def flush(self):
            for f in sys.stdout, sys.stderr:
                try: f.flush()
                except Raised: pass
        def __setitem__(self, n, text):
            self.flush()
            self.n, self.s, self.busy = n, 0, 1
            self.write("<%d>\n" % n)
            try:
                exec(compile(ast.Interactive(ast.parse(text, "<cmd>").body), "<cmd>", "single"), __main__.__dict__)
            except Exit: raise
            except Raised as e:
                self.s = 1
                traceback.print_exception(type(e), e, None if isinstance(e, Wrong) else e.__traceback__.tb_next)
            finally: self.busy = 0
            self.flush()
            sys.ps1, sys.ps2 = self, ""
    builtins._ox = sys.ps1 = Ox()
    sys.ps2 = ""
    if hasattr(sys, "__interactivehook__"): del sys.__interactivehook__
_ox()
del _ox
