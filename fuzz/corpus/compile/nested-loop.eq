for k in 1..3:
  for j in 1..2:
    a[k,j]' = -a[k,j]
    init a[k,j] = k/j
