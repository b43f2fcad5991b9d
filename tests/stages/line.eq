param S = 3, L = 0.5, C = 2
for k in 1..S-1: u[k]' = (i[k] - i[k+1])/C
u[S]' = (i[S] - u[S])/C
i[1]' = (1 - u[1])/L
for k in 2..S: i[k]' = (u[k-1] - u[k])/L
for k in 1..S:
  init u[k] = 0
  init i[k] = 0
