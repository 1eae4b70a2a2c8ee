import json, os, sys, uuid  # agent.py [--resume ID] [--forget]

home = os.environ.get('AGENT_HOME', '.')
args = sys.argv[1:]
resumed = '--resume' in args
sid = args[args.index('--resume') + 1] if resumed else uuid.uuid4().hex[:8]
store = os.path.join(home, sid + '.jsonl')
history = [json.loads(line) for line in open(store)] if os.path.exists(store) else []
print('session', sid, flush=True)
for turn in history:
    print('>', turn['q'])
    print('assistant:', turn['r'], flush=True)
while True:
    try:
        q = input('> ')
    except EOFError:
        break
    if q == '/exit':
        break
    seen = [] if '--forget' in args and resumed else history
    if q.startswith('remember '):
        r = 'ok'
    elif q.startswith('recall'):
        known = [t['q'][9:] for t in seen if t['q'].startswith('remember ')]
        r = known[-1] if known else "I don't have that"
    else:
        r = '?'
    history.append({'q': q, 'r': r})
    with open(store, 'a') as f:
        f.write(json.dumps(history[-1]) + '\n')
    print('assistant:', r, flush=True)
