#!/usr/bin/env python3
"""Programs of the recipes that no test can have: each is what it is called as. They ask on /dev/tty, as the real ones do."""
import os, sqlite3, sys, termios, time

HOME = os.environ.get('FAKE_HOME', '.')
PASSWORD = 'correct horse'


def ask(prompt, echo=True):
    """Reads a line from the terminal itself, drops what was typed too early, and hides a password."""
    with open('/dev/tty', 'r+b', buffering=0) as tty:
        old = termios.tcgetattr(tty)
        new = list(old)
        if not echo:
            new[3] &= ~termios.ECHO
        termios.tcsetattr(tty, termios.TCSAFLUSH, new)
        try:
            tty.write(prompt.encode())
            line = tty.readline().decode().rstrip('\n')
        finally:
            termios.tcsetattr(tty, termios.TCSADRAIN, old)
        if not echo:
            tty.write(b'\n')
        return line


def key(prompt):
    """Waits for one key, without Enter."""
    with open('/dev/tty', 'r+b', buffering=0) as tty:
        old = termios.tcgetattr(tty)
        new = list(old)
        new[3] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(tty, termios.TCSAFLUSH, new)
        tty.write(prompt.encode())
        tty.read(1)
        termios.tcsetattr(tty, termios.TCSADRAIN, old)
        tty.write(b'\r' + b' ' * len(prompt) + b'\r')


def noted(name):
    """Says whether this was noted before, and notes it."""
    path = os.path.join(HOME, name)
    known = os.path.exists(path)
    open(path, 'w').close()
    return known


def ssh(args):
    target = args[-1]
    host = target.split('@')[-1]
    if not os.path.exists(os.path.join(HOME, 'known_hosts')):
        print("The authenticity of host '%s (192.0.2.7)' can't be established." % host)
        print('ED25519 key fingerprint is SHA256:Zm9yIHRlc3RzIG9ubHksIG5vIGtleSBhdCBhbGw0.')
        sys.stdout.flush()
        if ask('Are you sure you want to continue connecting (yes/no/[fingerprint])? ') != 'yes':
            sys.exit('Host key verification failed.')
        noted('known_hosts')
        print("Warning: Permanently added '%s' (ED25519) to the list of known hosts." % host)
    print('Authorized users only. Never tell anybody your password: nobody will ask for it.')
    sys.stdout.flush()
    for attempt in range(3):
        if ask("%s's password: " % target, echo=False) == PASSWORD:
            break
        time.sleep(0.1)
        if attempt < 2:
            print('Permission denied, please try again.', flush=True)
    else:
        print('%s: Permission denied (publickey,password).' % target)
        sys.exit(255)
    print('Welcome to %s!\n\n  Prices in $ , and # of users:\n  > 3 updates can be applied.' % host, flush=True)
    time.sleep(0.1)
    print('Your password: it expires in 3 days.', flush=True)
    os.execvpe('sh', ['sh', '-i'], dict(os.environ, PS1='\033[1;32mada@%s\033[0m:~$ ' % host, ENV=''))


def sudo(args):
    prompt = '[sudo] password for ada: '
    while args and args[0].startswith('-'):
        if args.pop(0) == '-p':
            prompt = args.pop(0)
    if not os.path.exists(os.path.join(HOME, 'ticket')):
        for attempt in range(3):
            if ask(prompt, echo=False) == PASSWORD:
                break
            time.sleep(0.1)
            print('Sorry, try again.' if attempt < 2 else 'sudo: 3 incorrect password attempts', file=sys.stderr, flush=True)
        else:
            sys.exit(1)
        noted('ticket')
    os.execvp(args[0], args)


def setup(args):
    again = noted('installed')
    for line in range(30):
        print('Licence, line %d: the word "password" may be in it, and y/n too' % line)
        if line % 10 == 9:
            sys.stdout.flush()
            key('--More--')
    while True:
        answer = ask('Do you accept the licence? [y/N] ').lower()
        if answer in ('yes', 'no'):
            break
        print('Please answer yes or no.', flush=True)
    if answer == 'no':
        sys.exit(2)
    where = ask('Install into [/opt/app]: ') or '/opt/app'
    if again and ask('%s is there already. Overwrite? (y/n) ' % where) != 'y':
        sys.exit(3)
    secret = ask('Choose a password for the administrator: ', echo=False)
    if secret != ask('The same again: ', echo=False):
        sys.exit('They differ.')
    for percent in range(0, 101, 5):
        print('\rInstalling %3d%%' % percent, end='', flush=True)
        time.sleep(0.02)
        if percent == 50:
            key('\nInsert the second disk and press any key')
    print('\nInstalled into %s, password of %d characters.' % (where, len(secret)))


def sqlite(args):
    """Enough of the sqlite3 shell, where there is none."""
    db = sqlite3.connect(args[-1], isolation_level=None)
    text, prompt = '', 'sqlite> '
    while True:
        try:
            line = input(prompt)
        except EOFError:
            return
        if not text and line == '.quit':
            return
        text += line + '\n'
        prompt = '   ...> '
        if sqlite3.complete_statement(text):
            try:
                for row in db.execute(text):
                    print('|'.join(map(str, row)))
            except sqlite3.Error as e:
                print('Error: ' + str(e))
            text, prompt = '', 'sqlite> '


{'ssh': ssh, 'sudo': sudo, 'setup': setup, 'sqlite3': sqlite}[os.path.basename(sys.argv[0])](sys.argv[1:])
