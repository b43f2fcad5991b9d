# The sitting human body without dampers and force: conservative, accelerations depend on positions only.
# Cellier, Numerical Simulation of Dynamic Systems IX (2013), Velocity-free Models; the data are chosen here.
param M1 = 5    [kg],    M2 = 30   [kg],    M3 = 8     [kg], M4 = 35 [kg]
param k1 = 4000 [N/m],   k2 = 6000 [N/m],   k3 = 20000 [N/m]

F1 = k1*(x2 - x1)                         # what a spring passes on
F2 = k2*(x3 - x2)
F3 = k3*(x4 - x2)

M1*x1'' = F1
M2*x2'' = F2 + F3 - F1
M3*x3'' = -F2
M4*x4'' = -F3

init x1 = 0.01   [m], x1' = 0 [m/s], x2 = 0    [m], x2' = 0 [m/s]
init x3 = -0.005 [m], x3' = 0 [m/s], x4 = 0.02 [m], x4' = 0 [m/s]
output E = (M1*x1'^2 + M2*x2'^2 + M3*x3'^2 + M4*x4'^2)/2 + (k1*(x2 - x1)^2 + k2*(x3 - x2)^2 + k3*(x4 - x2)^2)/2 [J]
run 0 .. 2
