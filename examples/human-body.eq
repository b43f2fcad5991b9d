# A sitting human body, four masses on springs and dampers, shaken by a force on the fourth.
# Cellier, Numerical Simulation of Dynamic Systems IX (2013), Introduction II; the data are chosen here.
param M1 = 5    [kg],    M2 = 30   [kg],    M3 = 8     [kg], M4 = 35 [kg]
param k1 = 4000 [N/m],   k2 = 6000 [N/m],   k3 = 20000 [N/m]
param B1 = 60   [N*s/m], B2 = 120  [N*s/m], B3 = 500   [N*s/m]
param F0 = 200  [N],     omega = 15 [rad/s]
input F = F0*sin(omega*t) [N]

F1 = k1*(x2 - x1) + B1*(x2' - x1')        # what spring and damper pass on
F2 = k2*(x3 - x2) + B2*(x3' - x2')
F3 = k3*(x4 - x2) + B3*(x4' - x2')

M1*x1'' = F1
M2*x2'' = F2 + F3 - F1
M3*x3'' = -F2
M4*x4'' = F - F3

init x1 = 0 [m], x1' = 0 [m/s], x2 = 0 [m], x2' = 0 [m/s]
init x3 = 0 [m], x3' = 0 [m/s], x4 = 0 [m], x4' = 0 [m/s]
run 0 .. 4
